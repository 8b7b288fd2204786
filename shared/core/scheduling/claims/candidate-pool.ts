/**
 * Karpenter counterpart: pkg/controllers/provisioning/scheduling/nodeclaimtemplate.go. It differs: the labels
 * registered and initialized, which daemons may select, are added where daemons are looked at and nowhere else, so they
 * need not be taken out again.
 */
import type { Taint } from "#api/core-v1/pod.ts";
import { nodePoolLabel } from "#api/karpenter-v1/labels.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import type { InstanceType, Resources } from "../../instance-type.ts";
import { type Bitset, emptyBitset, has, include, isEmpty, keep } from "../instance-types/bitset.ts";
import { InstanceTypeIndex } from "../instance-types/instance-type-index.ts";
import { firstPortConflict, type HostPort } from "../pods/host-ports.ts";
import type { RequirementSet, RequirementSets } from "../requirements/requirement-set.ts";
import {
  impossibleKey,
  intersectRequirements,
  labelRequirements,
  type Requirements,
  requirementsOf,
} from "../requirements/requirements.ts";
import { type Daemon, type DaemonGroup, daemonGroups } from "../resources/daemon-overhead.ts";
import type { Dimensions, ResourceVector } from "../resources/resource-vector.ts";
import { NodePoolLimits } from "./node-pool-limits.ts";

/** A NodePool that may get new claims, as the scheduler is told of it. */
export interface PoolInput {
  readonly nodePool: NodePool;
  readonly instanceTypes: readonly InstanceType[];
  /** Label that names the node class on claims and nodes. */
  readonly nodeClassLabel: string;
  /** Capacity of the pool's nodes and claims that count against its limits, with `nodes`. */
  readonly usage: Resources;
}

/** What every claim of a pool starts from. */
export interface CandidatePool {
  readonly nodePool: NodePool;
  readonly taints: readonly Taint[];
  readonly base: RequirementSet;
  readonly index: InstanceTypeIndex;
  readonly groups: readonly DaemonGroup[];
  readonly limits: NodePoolLimits;
}

/** The heavier first; equal weights by name, descending, as Karpenter orders them. */
export function byWeight(a: NodePool, b: NodePool): number {
  const difference = (b.spec.weight ?? 0) - (a.spec.weight ?? 0);
  return difference !== 0 ? difference : a.metadata.name < b.metadata.name ? 1 : -1;
}

/** Labels that each claim of the pool carries from the start. */
export function claimLabels(nodePool: NodePool, nodeClassLabel: string): Readonly<Record<string, string>> {
  return {
    ...nodePool.spec.template.metadata?.labels,
    [nodePoolLabel]: nodePool.metadata.name,
    [nodeClassLabel]: nodePool.spec.template.spec.nodeClassRef.name,
  };
}

export function baseRequirements(nodePool: NodePool, nodeClassLabel: string): Requirements {
  return intersectRequirements(
    requirementsOf(nodePool.spec.template.spec.requirements),
    labelRequirements(claimLabels(nodePool, nodeClassLabel)),
  );
}

/** Undefined for a pool whose own requirements and labels contradict each other: nothing can ever come of it. */
export function candidatePool(
  input: PoolInput,
  index: InstanceTypeIndex,
  daemons: readonly Daemon[],
  sets: RequirementSets,
  dimensions: Dimensions,
): CandidatePool | undefined {
  const { nodePool, nodeClassLabel, usage } = input;
  const requirements = baseRequirements(nodePool, nodeClassLabel);
  if (impossibleKey(requirements) !== undefined) return undefined;
  const base = sets.intern(requirements);
  const taints = nodePool.spec.template.spec.taints ?? [];
  const groups = daemonGroups(daemons, taints, base, index, sets, dimensions);
  return { nodePool, taints, base, index, groups, limits: new NodePoolLimits(nodePool.spec.limits, usage) };
}

/** One index for all pools that were given the same list of types. */
export function indexesOf(pools: readonly PoolInput[], dimensions: Dimensions): readonly InstanceTypeIndex[] {
  const byList = new Map<readonly InstanceType[], InstanceTypeIndex>();
  return pools.map(({ instanceTypes }) => {
    const index = byList.get(instanceTypes) ?? new InstanceTypeIndex(instanceTypes, dimensions);
    byList.set(instanceTypes, index);
    return index;
  });
}

/**
 * Those of `within` with room for `requests` beside the daemons of their group. A group whose daemons hold one of the
 * ports is left out.
 */
export function fittingTypes(
  pool: CandidatePool,
  within: Bitset,
  requests: ResourceVector,
  ports: readonly HostPort[],
): Bitset {
  let fitting: Bitset | undefined;
  const total = requests.slice();
  for (const group of pool.groups) {
    if (firstPortConflict(group.hostPorts, ports) !== undefined) continue;
    const types = within.slice();
    keep(types, group.types);
    if (isEmpty(types)) continue;
    for (let d = 0; d < total.length; d++) total[d] = (requests[d] ?? 0) + (group.overhead[d] ?? 0);
    pool.index.keepFitting(types, total);
    if (fitting === undefined) fitting = types;
    else include(fitting, types);
  }
  return fitting ?? emptyBitset(pool.index.types.length);
}

/** Whether `fittingTypes` of all types would have this one. */
export function fitsOn(
  { groups, index }: CandidatePool,
  type: number,
  requests: ResourceVector,
  ports: readonly HostPort[],
): boolean {
  const group = groups.find(({ types }) => has(types, type));
  const room = index.allocatable[type];
  if (group === undefined || room === undefined) return false;
  if (firstPortConflict(group.hostPorts, ports) !== undefined) return false;
  for (let d = 0; d < requests.length; d++) {
    const total = (requests[d] ?? 0) + (group.overhead[d] ?? 0);
    if (total > 0 && total > (room[d] ?? 0)) return false;
  }
  return true;
}
