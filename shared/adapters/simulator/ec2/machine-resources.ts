import type { ResourceList } from "#api/core-v1/meta.ts";
import { quantityToInteger } from "#api/quantity.ts";
import type { EnsureLaunchTemplate } from "#core/command.ts";
import type { CatalogueType } from "#ec2/instance-type/catalogue.ts";

export interface MachineResources {
  readonly capacity: ResourceList;
  readonly allocatable: ResourceList;
}

const gpuResources: Readonly<Record<string, string>> = {
  nvidia: "nvidia.com/gpu",
  amd: "amd.com/gpu",
  habana: "habana.ai/gaudi",
};

/**
 * What the kubelet of such a machine reports: worked out here from what hypervisor, kernel and the EKS images take, on
 * purpose not by the estimate in shared/ec2, so that the two can differ as they do in the world.
 */
export function machineResources(type: CatalogueType, template: EnsureLaunchTemplate): MachineResources {
  const pods = template.bootstrap.maxPods ?? podsByInterfaces(type);
  const memoryMiB = type.memoryMiB - hypervisorMiB(type);
  const diskGiB = diskOf(template, type);
  const devices = devicesOf(type);
  const kept = keptByKubelet(type, template, { memoryMiB, diskGiB });
  return {
    capacity: {
      cpu: String(type.vcpus),
      memory: `${memoryMiB}Mi`,
      "ephemeral-storage": `${diskGiB}Gi`,
      pods: String(pods),
      ...devices,
    },
    allocatable: {
      cpu: `${Math.max(type.vcpus * 1000 - kept.cpuMillis, 0)}m`,
      memory: `${Math.max(Math.floor(memoryMiB - kept.memoryMiB), 0)}Mi`,
      "ephemeral-storage": `${Math.max(Math.floor(diskGiB * 1024 - kept.diskMiB), 0)}Mi`,
      pods: String(pods),
      ...devices,
    },
  };
}

/**
 * kube-reserved (the user's figure in place of the image's own, resource by resource), system-reserved, and the hard
 * eviction thresholds: 100 MiB of memory and a tenth of the disk unless the user says otherwise.
 */
function keptByKubelet(
  type: CatalogueType,
  { bootstrap }: EnsureLaunchTemplate,
  { memoryMiB, diskGiB }: { readonly memoryMiB: number; readonly diskGiB: number },
): { readonly cpuMillis: number; readonly memoryMiB: number; readonly diskMiB: number } {
  const { kubeReserved = {}, systemReserved = {}, evictionHard = {} } = bootstrap.kubelet ?? {};
  const diskMiB = diskGiB * 1024;
  const imageMiB = 255 + 11 * podsByInterfaces(type);
  return {
    cpuMillis: (millisOf(kubeReserved.cpu) ?? reservedCpuMillis(type.vcpus)) + (millisOf(systemReserved.cpu) ?? 0),
    memoryMiB:
      (mebibytesOf(kubeReserved.memory) ?? imageMiB) +
      (mebibytesOf(systemReserved.memory) ?? 0) +
      (thresholdMiB(evictionHard["memory.available"], memoryMiB) ?? 100),
    diskMiB:
      (mebibytesOf(kubeReserved["ephemeral-storage"]) ?? 1024) +
      (mebibytesOf(systemReserved["ephemeral-storage"]) ?? 0) +
      (thresholdMiB(evictionHard["nodefs.available"], diskMiB) ?? diskMiB * 0.1),
  };
}

function millisOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : quantityToInteger("cpu", text, "up");
}

function mebibytesOf(text: string | undefined): number | undefined {
  const bytes = text === undefined ? undefined : quantityToInteger("memory", text, "up");
  return bytes === undefined ? undefined : bytes / 2 ** 20;
}

/** A quantity, or a share of the whole; kubelet takes 100 % for switched off. */
function thresholdMiB(text: string | undefined, wholeMiB: number): number | undefined {
  if (text?.endsWith("%") !== true) return mebibytesOf(text);
  const percent = Number(text.slice(0, -1));
  return percent === 100 ? 0 : (wholeMiB * percent) / 100;
}

/** The AWS VPC CNI's rule: each interface keeps its own address; two pods use the host's network. */
function podsByInterfaces(type: CatalogueType): number {
  return type.enis * (type.ipv4PerEni - 1) + 2;
}

/**
 * Measured on EKS nodes: a fixed part and a small share (m5.large shows about 7.6 of 8 GiB). At most 7 %, a little less
 * than the 7.5 % that Karpenter assumes; arm64 machines give 64 MiB more to their firmware.
 */
function hypervisorMiB(type: CatalogueType): number {
  const firmwareMiB = type.arch === "arm64" ? 64 : 0;
  return firmwareMiB + Math.floor(Math.min(type.memoryMiB * 0.07, 190 + type.memoryMiB * 0.015));
}

/** EKS images: 6 % of the first core, 1 % of the second, 0.5 % of the next two, 0.25 % of the rest. */
function reservedCpuMillis(vcpus: number): number {
  return 60 + (vcpus > 1 ? 10 : 0) + 5 * Math.min(Math.max(vcpus - 2, 0), 2) + Math.floor(2.5 * Math.max(vcpus - 4, 0));
}

function devicesOf(type: CatalogueType): ResourceList {
  const devices: Record<string, string> = {};
  const gpu = type.gpu === undefined ? undefined : gpuResources[type.gpu.manufacturer.toLowerCase()];
  if (type.gpu !== undefined && gpu !== undefined && type.gpu.count > 0) devices[gpu] = String(type.gpu.count);
  if (type.accelerator?.manufacturer.toLowerCase() === "aws") {
    const { count, coresPerDevice } = type.accelerator;
    devices["aws.amazon.com/neuron"] = String(count);
    devices["aws.amazon.com/neuroncore"] = String(count * coresPerDevice);
  }
  if ((type.branchInterfaces ?? 0) > 0) devices["vpc.amazonaws.com/pod-eni"] = String(type.branchInterfaces);
  return devices;
}

/** The volume of the last mapping (Bottlerocket keeps its data on the second); 20 GiB where the image decides. */
function diskOf(template: EnsureLaunchTemplate, type: CatalogueType): number {
  if (template.bootstrap.instanceStorePolicy === "RAID0" && type.nvmeGB !== undefined) {
    return Math.floor((type.nvmeGB * 1e9) / 2 ** 30);
  }
  const { BlockDeviceMappings: mappings } = template.details;
  const sizes = (Array.isArray(mappings) ? mappings : []).map(volumeSizeOf);
  return sizes.findLast((size) => size !== undefined) ?? 20;
}

function volumeSizeOf(mapping: unknown): number | undefined {
  if (typeof mapping !== "object" || mapping === null || !("Ebs" in mapping)) return undefined;
  const { Ebs: ebs } = mapping;
  if (typeof ebs !== "object" || ebs === null || !("VolumeSize" in ebs)) return undefined;
  return typeof ebs.VolumeSize === "number" ? ebs.VolumeSize : undefined;
}
