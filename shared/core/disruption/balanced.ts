/**
 * The policy Balanced: a move must save a large enough share of its pool's cost for the share of the pool's pods that it
 * disturbs. Karpenter counterpart: pkg/controllers/disruption/balanced.go. No difference in the score; all nodes of the
 * pool are in the totals.
 */

import type { Pod } from "#api/core-v1/pod.ts";
import { instanceTypeLabel, nodePoolLabel } from "#api/karpenter-v1/labels.ts";
import type { InstanceType } from "../instance-type.ts";
import { byText } from "../order.ts";
import type { ClusterView } from "../snapshot.ts";
import { nodesByProviderId, nodesOf, podsByNode } from "../state/node-index.ts";
import { type Candidate, priceOf } from "./candidate.ts";
import { costOf } from "./disruption-command.ts";
import { reschedulingCost } from "./eviction-cost.ts";

/** Karpenter: BalancedK. A share of the cost must be saved of at least 1/k of the share of the pods disturbed. */
const k = 2;

export interface PoolTotals {
  /** Per hour, of all nodes of the pool. */
  readonly cost: number;
  readonly disruption: number;
}

/** By name of the pool. `typesOf`: of a pool. */
export function poolTotals(
  cluster: Pick<ClusterView, "nodeClaims" | "nodes" | "pods">,
  typesOf: (nodePool: string) => readonly InstanceType[],
): ReadonlyMap<string, PoolTotals> {
  const nodes = nodesByProviderId(cluster.nodes);
  const podsOn = podsByNode(cluster.pods);
  const totals = new Map<string, PoolTotals>();
  const types = new Map<string, ReadonlyMap<string, InstanceType>>();
  for (const claim of cluster.nodeClaims) {
    const pool = claim.metadata.labels?.[nodePoolLabel];
    const [node] = nodesOf(claim, nodes);
    if (pool === undefined || node === undefined) continue;
    const ofPool = types.get(pool) ?? new Map(typesOf(pool).map((type) => [type.name, type]));
    types.set(pool, ofPool);
    const price = priceOf(claim, ofPool.get(claim.metadata.labels?.[instanceTypeLabel] ?? ""));
    const pods: readonly Pod[] = podsOn.get(node.metadata.name) ?? [];
    const { cost, disruption } = totals.get(pool) ?? { cost: 0, disruption: 0 };
    totals.set(pool, { cost: cost + price, disruption: disruption + reschedulingCost(pods) });
  }
  return totals;
}

export interface Score {
  readonly nodePool: string;
  /** Of the pool's cost, 0…1. */
  readonly savedShare: number;
  /** Of the pool's disruption cost, 0…1. */
  readonly disturbedShare: number;
}

/** Scores of the pools that have the policy and refuse the move, by name; none: nobody objects. */
export function refusals(
  candidates: readonly Candidate[],
  costAfterPerHour: number,
  totals: ReadonlyMap<string, PoolTotals>,
): readonly Score[] {
  const before = costOf(candidates);
  const pools = new Map(candidates.map(({ nodePool }) => [nodePool.metadata.name, nodePool]));
  return [...pools.values()]
    .filter(({ spec }) => spec.disruption.consolidationPolicy === "Balanced")
    .map(({ metadata }) => metadata.name)
    .sort(byText)
    .flatMap((name) => {
      const own = candidates.filter(({ nodePool }) => nodePool.metadata.name === name);
      // Of a move across pools each has its share of what is saved.
      const share = pools.size > 1 && before > 0 ? costOf(own) / before : 1;
      const disturbed = own.reduce((sum, one) => sum + one.reschedulingCost, 0);
      const { cost, disruption } = totals.get(name) ?? { cost: 0, disruption: 0 };
      if (cost <= 0 || disruption <= 0) return [{ nodePool: name, savedShare: 0, disturbedShare: 0 }];
      const savedShare = ((before - costAfterPerHour) * share) / cost;
      const disturbedShare = disturbed / disruption;
      return savedShare * k >= disturbedShare ? [] : [{ nodePool: name, savedShare, disturbedShare }];
    });
}

export function refusalText({ nodePool, savedShare, disturbedShare }: Score): string {
  const [saved, disturbed] = [percent(savedShare), percent(disturbedShare)];
  return `policy Balanced of NodePool ${nodePool}: it would save ${saved} of the pool's cost and disturb ${disturbed} of its pods; it must save at least half as much as it disturbs`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
