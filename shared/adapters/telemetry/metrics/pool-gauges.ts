import { nodePoolLabel } from "#api/karpenter-v1/labels.ts";
import type { DisruptionReason } from "#api/karpenter-v1/nodepool.ts";
import { allowedDisruptions } from "#core/disruption/budget.ts";
import { poolCounts } from "#core/nodepool/counting.ts";
import { resourcesOf } from "#core/scheduling/resources/resources.ts";
import type { TickReport } from "#ports/telemetry.ts";
import { priceLookup } from "./prices.ts";
import { resourceSamples } from "./resource-samples.ts";
import type { Sample } from "./sample.ts";

const reasons: readonly DisruptionReason[] = ["Empty", "Drifted", "Underutilized"];

/** What each NodePool may have, has, costs, and how many of its nodes may be disrupted. */
export function poolGauges(report: TickReport): readonly Sample[] {
  const { cluster, nowMs } = report.snapshot;
  const counts = poolCounts(cluster);
  const priceOf = priceLookup(report);
  const costs = new Map<string, number>();
  for (const claim of cluster.nodeClaims) {
    const pool = claim.metadata.labels?.[nodePoolLabel] ?? "";
    costs.set(pool, (costs.get(pool) ?? 0) + priceOf(claim));
  }
  return cluster.nodePools.flatMap((pool): readonly Sample[] => {
    const nodepool = pool.metadata.name;
    const count = counts.get(nodepool);
    return [
      ...resourceSamples("karpenter_nodepools_limit", { nodepool }, resourcesOf(pool.spec.limits, "down")),
      ...resourceSamples("karpenter_nodepools_usage", { nodepool }, resourcesOf(count?.resources, "down")),
      { name: "karpenter_nodepools_cost_total", labels: { nodepool }, value: costs.get(nodepool) ?? 0 },
      ...reasons.map((reason) => {
        const { allowed } = allowedDisruptions(pool, reason, count?.nodes ?? 0, nowMs);
        const labels = { nodepool, reason: reason.toLowerCase() };
        // Without a budget for the reason all of them may go.
        return {
          name: "karpenter_nodepools_allowed_disruptions",
          labels,
          value: Number.isFinite(allowed) ? allowed : (count?.nodes ?? 0),
        };
      }),
    ];
  });
}
