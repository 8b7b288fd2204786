import { capacityTypeLabel, nodePoolLabel } from "#api/karpenter-v1/labels.ts";
import type { TickReport } from "#ports/telemetry.ts";

/** Of one tick; a line is some hundred bytes. */
const linesMax = 40;

/**
 * How many nodes each pool has of each capacity type, a line of JSON each, for the dashboard's query of the log: a metric
 * of each would cost money each.
 */
export function poolLines({ snapshot }: TickReport): readonly string[] {
  const counts = new Map<string, { readonly pool: string; readonly capacityType: string; nodesOfPool: number }>();
  for (const { metadata } of snapshot.cluster.nodes) {
    const pool = metadata.labels?.[nodePoolLabel];
    if (pool === undefined) continue;
    const capacityType = metadata.labels?.[capacityTypeLabel] ?? "unknown";
    const key = `${pool} ${capacityType}`;
    const known = counts.get(key) ?? { pool, capacityType, nodesOfPool: 0 };
    known.nodesOfPool++;
    counts.set(key, known);
  }
  const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, linesMax);
  return sorted.map(([, line]) => JSON.stringify(line));
}
