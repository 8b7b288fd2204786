/**
 * How many more volumes a node can attach. Karpenter counterpart: pkg/scheduling/volumeusage.go, VolumeUsage. It differs:
 * for a node whose CSINode does not tell of the driver yet, what its provider knows of the instance type stands in;
 * Karpenter takes such a node for one without limit.
 */
import type { CSINode } from "#api/core-v1/cluster-objects.ts";
import type { Resources } from "../../instance-type.ts";
import type { StateNode } from "../../state/state-node.ts";
import { attachmentResource } from "./csi-driver.ts";
import type { VolumeIndex } from "./pod-volumes.ts";
import { keyOfAttachment } from "./volume-needs.ts";

export interface VolumeRoom {
  /** Per driver with a limit, as an amount of its pseudo-resource; below 0 when the node holds too many. */
  readonly free: Resources;
  /** Keys of the volumes that are attached for pods there. */
  readonly attached: readonly string[];
}

/** `typeLimits`: by driver, what a node of that type attaches at least. */
export function volumeRoom(
  { pods }: StateNode,
  index: VolumeIndex,
  csiNode: CSINode | undefined,
  typeLimits: Readonly<Record<string, number>> | undefined,
): VolumeRoom {
  const attached = new Set<string>();
  const used = new Map<string, number>();
  for (const attachment of pods.flatMap((pod) => index.attachmentsOf(pod))) {
    const key = keyOfAttachment(attachment);
    if (attached.has(key)) continue;
    attached.add(key);
    used.set(attachment.driver, (used.get(attachment.driver) ?? 0) + 1);
  }
  const free = Object.entries(limitsOf(csiNode, typeLimits)).map(([driver, limit]) => [
    attachmentResource(driver),
    limit - (used.get(driver) ?? 0),
  ]);
  return { free: Object.fromEntries(free), attached: [...attached].sort() };
}

/** A driver that has registered without a count has no limit. */
function limitsOf(
  csiNode: CSINode | undefined,
  typeLimits: Readonly<Record<string, number>> | undefined,
): Readonly<Record<string, number>> {
  const limits = new Map(Object.entries(typeLimits ?? {}));
  for (const { name, allocatable } of csiNode?.spec.drivers ?? []) {
    if (allocatable?.count === undefined) limits.delete(name);
    else limits.set(name, allocatable.count);
  }
  return Object.fromEntries(limits);
}
