/**
 * What each NodePool uses of its limits. Karpenter counterpart: pkg/controllers/state/cluster.go, nodePoolResources. It
 * differs: a claim counts from its creation, as the largest machine that it may become, so that claims which never
 * register cannot grow without bound. Nodes that are going away do not count.
 */
import { instanceTypeLabel, nodePoolLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { InstanceType, Resources } from "../instance-type.ts";
import { nodesResource } from "../scheduling/claims/node-pool-limits.ts";
import { allowsValue } from "../scheduling/requirements/requirement.ts";
import { requirementsOf } from "../scheduling/requirements/requirements.ts";
import { largest, noResources, sum } from "../scheduling/resources/resources.ts";
import { capacityOf, type StateNode } from "../state/state-node.ts";

export function nodePoolUsage(
  states: readonly StateNode[],
  instanceTypesOf: (claim: NodeClaim) => readonly InstanceType[],
): ReadonlyMap<string, Resources> {
  const usage = new Map<string, Resources>();
  for (const state of states) {
    const labels = state.claim?.metadata.labels ?? state.node?.metadata.labels;
    const pool = labels?.[nodePoolLabel];
    if (pool === undefined || state.deleting) continue;
    const taken = { ...sizeOf(state, instanceTypesOf), [nodesResource]: 1 };
    usage.set(pool, sum(usage.get(pool) ?? noResources, taken));
  }
  return usage;
}

function sizeOf(state: StateNode, instanceTypesOf: (claim: NodeClaim) => readonly InstanceType[]): Resources {
  const { claim, node } = state;
  if (node !== undefined || claim === undefined || claim.status?.capacity !== undefined) return capacityOf(state);
  const named = requirementsOf(claim.spec.requirements).get(instanceTypeLabel);
  return instanceTypesOf(claim)
    .filter(({ name }) => named === undefined || allowsValue(named, name))
    .map(({ capacity }) => capacity)
    .reduce(largest, noResources);
}
