/**
 * One word a NodePool whose limits leave nothing, however many pods wait for it. Karpenter counterpart: none; it says so of
 * each pod.
 */

import { refOf } from "../object-ref.ts";
import type { Reason } from "../reason.ts";
import type { PoolInput } from "../scheduling/claims/candidate-pool.ts";
import { describeAmount } from "../scheduling/resources/amount-text.ts";
import { resourcesOf } from "../scheduling/resources/resources.ts";

export function exhaustedPoolReasons(pools: readonly PoolInput[]): readonly Reason[] {
  return pools.flatMap(({ nodePool, usage }) => {
    const used = Object.entries(resourcesOf(nodePool.spec.limits, "down"))
      .filter(([name, limit]) => limit <= (usage[name] ?? 0))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, limit]) => `${name} ${describeAmount(name, usage[name] ?? 0)} of ${describeAmount(name, limit)}`);
    if (used.length === 0) return [];
    return [
      {
        about: refOf("NodePool", nodePool),
        code: "pool-limit" as const,
        message: `its limit is used up (${used.join(", ")}); no nodes are made for waiting pods`,
        event: { type: "Warning" as const, reason: "LimitReached" },
      },
    ];
  });
}
