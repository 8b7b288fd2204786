/**
 * Karpenter counterpart: pkg/controllers/nodepool/counter. No difference: what the pool's nodes have, without those that
 * are on their way out.
 */
import type { ResourceList } from "#api/core-v1/meta.ts";
import { nodePoolLabel } from "#api/karpenter-v1/labels.ts";
import type { Resources } from "../instance-type.ts";
import { resourceListOf, sum } from "../scheduling/resources/resources.ts";
import type { ClusterView } from "../snapshot.ts";
import { capacityOf, stateNodes } from "../state/state-node.ts";

export interface PoolCount {
  readonly nodes: number;
  readonly resources: ResourceList;
}

const nothing: Resources = { cpu: 0, memory: 0, pods: 0, "ephemeral-storage": 0, nodes: 0 };

/** By the name of the pool; a pool without nodes is absent. */
export function poolCounts(cluster: ClusterView): ReadonlyMap<string, PoolCount> {
  const totals = new Map<string, Resources>();
  for (const state of stateNodes(cluster)) {
    const pool = (state.claim ?? state.node)?.metadata.labels?.[nodePoolLabel];
    const isKnown = state.node !== undefined || state.claim?.status?.providerID !== undefined;
    if (pool === undefined || state.deleting || !isKnown) continue;
    totals.set(pool, sum(totals.get(pool) ?? nothing, sum(capacityOf(state), { nodes: 1 })));
  }
  return new Map([...totals].map(([pool, total]) => [pool, countOf(total)]));
}

export const emptyCount: PoolCount = countOf(nothing);

function countOf(total: Resources): PoolCount {
  return { nodes: total.nodes ?? 0, resources: resourceListOf(total) };
}
