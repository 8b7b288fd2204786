/**
 * Karpenter counterpart: pkg/providers/instancetype/types.go, computeCapacity. It differs: resources that a type has
 * none of are left out, and what a node of the type reported replaces ephemeral storage too, not memory alone.
 */
import type { EC2NodeClassSpec } from "#api/ec2-v1/ec2nodeclass.ts";
import type { Resources } from "#core/instance-type.ts";
import type { Ec2Settings } from "../settings.ts";
import type { CatalogueType } from "./catalogue.ts";
import { ephemeralStorageBytes } from "./ephemeral-storage.ts";
import type { FamilyRules } from "./family-rules.ts";
import type { LearnedCapacity } from "./learned-capacity.ts";
import { maxPods } from "./pod-density.ts";

const mib = 1_048_576;
/** Karpenter: what arm64 machines lack of the memory that EC2 states, before the overhead. */
const armMissingMiB = 64;

/** Elastic Fabric Adapters: network interfaces, so they count for a node only where they are asked for. */
export const efaResource = "vpc.amazonaws.com/efa";

const gpuResources: Readonly<Record<string, string>> = {
  NVIDIA: "nvidia.com/gpu",
  AMD: "amd.com/gpu",
  Habana: "habana.ai/gaudi",
};

export function typeCapacity(
  type: CatalogueType,
  spec: EC2NodeClassSpec,
  rules: FamilyRules,
  settings: Ec2Settings,
  learned: LearnedCapacity | undefined,
): Resources {
  const nics = spec.networkInterfaces ?? [];
  const storage = ephemeralStorageBytes(type, rules, spec.blockDeviceMappings ?? [], spec.instanceStorePolicy);
  const amounts = {
    cpu: type.vcpus * 1_000,
    memory: learned?.memoryBytes ?? estimatedMemoryBytes(type, settings.vmMemoryOverheadPercent),
    "ephemeral-storage": learned?.storageBytes ?? storage,
    pods: maxPods(type, rules, spec.kubelet ?? {}, settings.reservedEnis, nics),
    "vpc.amazonaws.com/pod-eni": type.branchInterfaces ?? 0,
    [efaResource]: nics.length === 0 ? (type.efaInterfaces ?? 0) : efaOnlyCount(spec),
    "vpc.amazonaws.com/PrivateIPv4Address": rules.windows ? type.ipv4PerEni - 1 : 0,
    ...devices(type),
  };
  return Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount > 0));
}

/** The stated memory less what the hypervisor and the kernel keep; an estimate until a node has reported. */
export function estimatedMemoryBytes(type: CatalogueType, overheadPercent: number): number {
  const statedMiB = type.memoryMiB - (type.arch === "arm64" ? armMissingMiB : 0);
  return (statedMiB - Math.ceil(statedMiB * overheadPercent)) * mib;
}

export function efaOnlyCount(spec: EC2NodeClassSpec): number {
  return (spec.networkInterfaces ?? []).filter(({ interfaceType }) => interfaceType === "efa-only").length;
}

function devices({ gpu, accelerator }: CatalogueType): Record<string, number> {
  const amounts: Record<string, number> = {};
  const gpuResource = gpuResources[gpu?.manufacturer ?? ""];
  if (gpu !== undefined && gpuResource !== undefined) amounts[gpuResource] = gpu.count;
  if (accelerator?.manufacturer === "AWS") {
    amounts["aws.amazon.com/neuron"] = accelerator.count;
    amounts["aws.amazon.com/neuroncore"] = accelerator.count * accelerator.coresPerDevice;
  }
  return amounts;
}
