/**
 * A NodeClaim that exists and was not launched yet may still become any of its types, so it offers what the smallest of
 * them does. Karpenter counterpart: none; it does not schedule at all while a launch is under way
 * (pkg/controllers/state/cluster.go, Synced).
 */
import type { Taint } from "#api/core-v1/pod.ts";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import type { InstanceType } from "../../instance-type.ts";
import { both, indicesOf, isEmpty } from "../instance-types/bitset.ts";
import { InstanceTypeIndex } from "../instance-types/instance-type-index.ts";
import type { ExistingNode } from "../nodes/existing-node.ts";
import type { RequirementSets } from "../requirements/requirement-set.ts";
import { intersectRequirements, labelRequirements, requirementsOf } from "../requirements/requirements.ts";
import { type Daemon, type DaemonGroup, daemonGroups } from "../resources/daemon-overhead.ts";
import type { Dimensions, ResourceVector } from "../resources/resource-vector.ts";

export interface OpenClaim {
  readonly kind: "open-claim";
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly requirements: readonly RequirementSpec[];
  readonly taints: readonly Taint[];
  /** All of its node class. */
  readonly instanceTypes: readonly InstanceType[];
  readonly expects?: readonly string[];
}

/** Nodes as they are, and open claims as what they will be at least; a claim that nothing available can serve now is left out. */
export function asNodes(
  capacity: readonly (ExistingNode | OpenClaim)[],
  daemons: readonly Daemon[],
  sets: RequirementSets,
  dimensions: Dimensions,
): readonly ExistingNode[] {
  const indexes = new Map<readonly InstanceType[], InstanceTypeIndex>();
  return capacity.flatMap((item) => {
    if (item.kind !== "open-claim") return [item];
    const index = indexes.get(item.instanceTypes) ?? new InstanceTypeIndex(item.instanceTypes, dimensions);
    indexes.set(item.instanceTypes, index);
    const set = sets.intern(intersectRequirements(requirementsOf(item.requirements), labelRequirements(item.labels)));
    const groups = daemonGroups(daemons, item.taints, set, index, sets, dimensions).map((group) => ({
      ...group,
      types: both(group.types, index.launchable(set)),
    }));
    const least = leastFree(groups, index);
    if (least === undefined) return [];
    const { name, taints } = item;
    const is = { requirements: set.requirements };
    const hostPorts = groups.flatMap((group) => (isEmpty(group.types) ? [] : group.hostPorts));
    const free = dimensions.resourcesOf(least);
    return [{ kind: "claim" as const, name, is, taints, free, hostPorts, expects: item.expects ?? [] }];
  });
}

function leastFree(groups: readonly DaemonGroup[], index: InstanceTypeIndex): ResourceVector | undefined {
  let least: ResourceVector | undefined;
  for (const group of groups) {
    for (const type of indicesOf(group.types)) {
      const free = index.allocatable[type]?.map((amount, d) => amount - (group.overhead[d] ?? 0));
      least = least?.map((amount, d) => Math.min(amount, free?.[d] ?? 0)) ?? free;
    }
  }
  return least;
}
