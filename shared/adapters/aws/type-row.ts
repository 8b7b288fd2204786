import type { InstanceTypeInfo } from "@aws-sdk/client-ec2";
import { branchInterfacesOf } from "#ec2/instance-type/branch-interfaces.ts";
import type { CatalogueType } from "#ec2/instance-type/catalogue.ts";

/** What the API says of a type; zones and prices come from elsewhere. */
export type TypeFacts = Omit<CatalogueType, "zones" | "onDemandPerHour" | "spotPerHour">;

const archOf: Readonly<Record<string, CatalogueType["arch"]>> = { x86_64: "amd64", arm64: "arm64" };

/** Undefined for a type that no node can be: another architecture, or without what every type states. */
export function typeFacts(info: InstanceTypeInfo): TypeFacts | undefined {
  const size = sizeOf(info);
  if (size === undefined) return undefined;
  const { ProcessorInfo: processor, NetworkInfo: network } = info;
  const hypervisor = info.Hypervisor === "nitro" || info.Hypervisor === "xen" ? info.Hypervisor : "";
  const isNested = (processor?.SupportedFeatures ?? []).map(String).includes("nested-virtualization");
  return {
    ...size,
    cpuManufacturer: processor?.Manufacturer ?? "unknown",
    hypervisor,
    bareMetal: info.BareMetal ?? false,
    encryptionInTransit: network?.EncryptionInTransitSupported ?? false,
    nitroEnclaves: info.NitroEnclavesSupport === "supported",
    usageClasses: (["on-demand", "spot"] as const).filter((each) => (info.SupportedUsageClasses ?? []).includes(each)),
    ...present({
      clockMhz: scaled(processor?.SustainedClockSpeedInGhz),
      networkMbps: scaled(sum((network?.NetworkCards ?? []).map((each) => each.BaselineBandwidthInGbps))),
      ebsMbps: ebsMbps(info),
      nvmeGB: instanceStore(info),
      efaInterfaces: network?.EfaInfo?.MaximumEfaInterfaces,
      branchInterfaces: branchInterfacesOf(size.name) || undefined,
    }),
    ...devices(info),
    ...(isNested ? { nestedVirtualization: true } : {}),
  };
}

/** Interfaces are those of the default network card. */
function sizeOf(
  info: InstanceTypeInfo,
): Pick<TypeFacts, "name" | "arch" | "vcpus" | "memoryMiB" | "enis" | "ipv4PerEni"> | undefined {
  const { InstanceType: name, NetworkInfo: network } = info;
  const arch = (info.ProcessorInfo?.SupportedArchitectures ?? []).flatMap((each) => archOf[each] ?? [])[0];
  const card = network?.NetworkCards?.find((each) => each.NetworkCardIndex === network.DefaultNetworkCardIndex);
  const vcpus = info.VCpuInfo?.DefaultVCpus;
  const memoryMiB = info.MemoryInfo?.SizeInMiB;
  const enis = card?.MaximumNetworkInterfaces ?? network?.MaximumNetworkInterfaces;
  const ipv4PerEni = network?.Ipv4AddressesPerInterface;
  if (name === undefined || arch === undefined) return undefined;
  return vcpus && memoryMiB && enis && ipv4PerEni ? { name, arch, vcpus, memoryMiB, enis, ipv4PerEni } : undefined;
}

function ebsMbps({ EbsInfo: ebs }: InstanceTypeInfo): number | undefined {
  return ebs?.EbsOptimizedSupport === "default" ? ebs.EbsOptimizedInfo?.MaximumBandwidthInMbps : undefined;
}

function instanceStore({ InstanceStorageInfo: store }: InstanceTypeInfo): number | undefined {
  return store === undefined || store.NvmeSupport === "unsupported" ? undefined : store.TotalSizeInGB;
}

/** Types with GPUs of several kinds have no GPU labels in Karpenter either. */
function devices(info: InstanceTypeInfo): Pick<TypeFacts, "gpu" | "accelerator"> {
  const gpus = info.GpuInfo?.Gpus ?? [];
  const [gpu] = gpus;
  const neurons = info.NeuronInfo?.NeuronDevices ?? [];
  const [neuron] = neurons;
  return {
    ...(gpu === undefined || gpus.length > 1
      ? {}
      : {
          gpu: {
            name: gpu.Name ?? "",
            manufacturer: gpu.Manufacturer ?? "",
            count: gpu.Count ?? 0,
            memoryMiB: gpu.MemoryInfo?.SizeInMiB ?? 0,
          },
        }),
    ...(neuron === undefined
      ? inference(info)
      : {
          accelerator: {
            name: neuron.Name ?? "",
            manufacturer: "AWS",
            count: sum(neurons.map(({ Count }) => Count)) ?? 0,
            coresPerDevice: neuron.CoreInfo?.Count ?? 0,
          },
        }),
  };
}

/** Inference accelerators of before Neuron; labels only. */
function inference(info: InstanceTypeInfo): Pick<TypeFacts, "accelerator"> {
  const accelerators = info.InferenceAcceleratorInfo?.Accelerators ?? [];
  const [one] = accelerators;
  if (one === undefined || accelerators.length > 1) return {};
  const { Name = "", Manufacturer = "", Count = 0 } = one;
  return { accelerator: { name: Name, manufacturer: Manufacturer, count: Count, coresPerDevice: 0 } };
}

function scaled(value: number | undefined): number | undefined {
  return value === undefined || value === 0 ? undefined : Math.round(value * 1000);
}

function sum(values: readonly (number | undefined)[]): number | undefined {
  return values.every((value) => value === undefined)
    ? undefined
    : values.reduce<number>((total, value) => total + (value ?? 0), 0);
}

function present<Fields extends object>(fields: Fields): { [Key in keyof Fields]?: NonNullable<Fields[Key]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Fields]?: NonNullable<Fields[Key]>;
  };
}
