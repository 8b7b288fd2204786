import type { Reason } from "#core/reason.ts";
import type { TickReport } from "#ports/telemetry.ts";
import { allGauges } from "./all-gauges.ts";
import { metricTable } from "./metric-table.ts";
import { priceLookup } from "./prices.ts";
import type { Sample } from "./sample.ts";
import { tickSamples } from "./tick-samples.ts";

/** CloudWatch's namespace of all of them; the one dimension is the cluster. */
const namespace = "Outrigger";

/**
 * The fixed series, eight at most, since CloudWatch asks a price for each. The last five are written when they are not 0:
 * an hour without a value costs nothing.
 */
export const fixedSeries = {
  TickDurationMs: "Milliseconds",
  NodeCount: "Count",
  CostPerHour: "None",
  UnschedulablePods: "Count",
  LaunchFailures: "Count",
  DisruptedNodes: "Count",
  Interruptions: "Count",
  TicksCutShort: "Count",
} as const;
export type FixedSeries = keyof typeof fixedSeries;
const alwaysWritten: ReadonlySet<string> = new Set(["TickDurationMs", "NodeCount", "CostPerHour"]);

/** CloudWatch: values of one metric in a line. */
const valuesMax = 100;

/** Observations stay apart, so that CloudWatch has their percentiles; all else becomes one number. */
function isObserved(name: string): boolean {
  const type = Object.hasOwn(metricTable, name) ? metricTable[name]?.type : undefined;
  return type === "histogram" || type === "summary";
}

/** One line in CloudWatch's embedded metric format; `more` are further metrics, asked for by name. */
export function emfLine(
  values: Readonly<Partial<Record<FixedSeries, number>>>,
  more: readonly Sample[],
  clusterName: string,
  nowMs: number,
): string | undefined {
  const fixed = Object.entries(values).filter(([name, value]) => value !== 0 || alwaysWritten.has(name));
  const sums = new Map<string, number | readonly number[]>();
  for (const { name, value } of more) {
    const before = sums.get(name);
    if (!isObserved(name)) sums.set(name, (typeof before === "number" ? before : 0) + value);
    else sums.set(name, [...(Array.isArray(before) ? (before as readonly number[]) : []), value].slice(0, valuesMax));
  }
  if (fixed.length + sums.size === 0) return undefined;
  const Metrics = [
    ...fixed.map(([Name]) => ({ Name, Unit: fixedSeries[Name as FixedSeries] })),
    ...[...sums.keys()].map((Name) => ({ Name, Unit: "None" })),
  ];
  return JSON.stringify({
    _aws: { Timestamp: nowMs, CloudWatchMetrics: [{ Namespace: namespace, Dimensions: [["Cluster"]], Metrics }] },
    Cluster: clusterName,
    ...Object.fromEntries(fixed),
    ...Object.fromEntries(sums),
  });
}

/** The fixed series of one tick. */
export function tickSeries(report: TickReport): Readonly<Record<Exclude<FixedSeries, "Interruptions">, number>> {
  const { snapshot, decisions, steps, phases, cutShort } = report;
  const priceOf = priceLookup(report);
  const reasons = decisions.flatMap(({ decision }) => decision.reasons);
  return {
    TickDurationMs: phases.reduce((sum, { durationMs }) => sum + durationMs, 0),
    NodeCount: snapshot.cluster.nodes.length,
    CostPerHour:
      Math.round(snapshot.cluster.nodeClaims.reduce((sum, claim) => sum + priceOf(claim), 0) * 10_000) / 10_000,
    // Those that off-hours keep waiting are as they should be, and raise no alarm.
    UnschedulablePods: reasons.filter(({ code, data }) => code === "pod-unschedulable" && data?.resting !== true)
      .length,
    LaunchFailures: steps.filter(
      ({ command, outcome }) => command.kind === "launch-instance" && outcome.kind === "failed",
    ).length,
    DisruptedNodes: reasons.filter(endsNode).length,
    TicksCutShort: cutShort === undefined ? 0 : 1,
  };
}

/** A disruption is told of claim and node as it begins, and once more of the node as it ends. */
function endsNode({ about, code, event }: Reason): boolean {
  return code === "node-disrupted" && about.kind === "Node" && event?.reason === "DisruptionTerminating";
}

/** Of all that Karpenter measures, what was asked for by name; series of one name become one. */
export function extraSamples(report: TickReport, names: readonly string[]): readonly Sample[] {
  const wanted = new Set(names.filter((name) => Object.hasOwn(metricTable, name)));
  if (wanted.size === 0) return [];
  return [...tickSamples(report), ...allGauges(report, "")].filter(({ name }) => wanted.has(name));
}
