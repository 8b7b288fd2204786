/**
 * Karpenter counterpart: pkg/providers/instancetype/types.go, ephemeralStorage. It differs: a mapping without `ebs` or
 * without a size is passed over instead of crashing.
 */
import type { BlockDeviceMapping } from "#api/ec2-v1/ec2nodeclass.ts";
import { quantityToInteger } from "#api/quantity.ts";
import type { CatalogueType } from "./catalogue.ts";
import type { FamilyRules } from "./family-rules.ts";

const gib = 1_073_741_824;
const fallbackBytes = 20 * gib;

/** Bytes of the file system that holds the kubelet's directory. */
export function ephemeralStorageBytes(
  type: CatalogueType,
  rules: FamilyRules,
  mappings: readonly BlockDeviceMapping[],
  instanceStorePolicy: "RAID0" | undefined,
): number {
  // EC2 states instance stores in decimal gigabytes.
  if (instanceStorePolicy === "RAID0" && type.nvmeGB) return type.nvmeGB * 1_000_000_000;
  const root = sizeOf(mappings.find(({ rootVolume }) => rootVolume === true));
  if (root !== undefined) return root;
  if (rules.ephemeralDevice === undefined) return sizeOf(mappings.at(-1)) ?? fallbackBytes;
  const device = mappings.find(({ deviceName }) => deviceName === rules.ephemeralDevice);
  return sizeOf(device) ?? rules.ephemeralGiB * gib;
}

function sizeOf(mapping: BlockDeviceMapping | undefined): number | undefined {
  const size = mapping?.ebs?.volumeSize;
  return size === undefined ? undefined : quantityToInteger("ephemeral-storage", size, "down");
}
