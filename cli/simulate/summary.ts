import { fittingNodeClaimsTable } from "../tables/node-claims.ts";
import { podCounts, podCountsText } from "./pod-counts.ts";
import type { SimulationResult } from "./result.ts";
import { unplacedLines } from "./unplaced.ts";

/** What stands at the end of a run: the claims (in lines of `width` characters at most), the pods, the cost, the pods without a place. */
export function summaryLines(
  result: SimulationResult,
  nowMs: number,
  ranMs: number,
  width = Number.POSITIVE_INFINITY,
): readonly string[] {
  const { claims, pods, cost, unplaced, short } = result;
  const minutes = Math.round(ranMs / 60_000);
  return [
    "",
    ...fittingNodeClaimsTable(claims, nowMs, width),
    "",
    `pods: ${podCountsText(podCounts(pods))}`,
    ...endedLines(result),
    `cost: $${cost.perHour.toFixed(4)} per hour, $${cost.total.toFixed(4)} in total over ${minutes} simulated minutes (list prices; spot prices are synthesised)`,
    ...(short.length === 0 ? [] : ["", ...short]),
    ...(unplaced.length === 0
      ? []
      : [
          "",
          `${unplaced.length} ${unplaced.length === 1 ? "pod has" : "pods have"} no place:`,
          ...unplacedLines(unplaced),
        ]),
  ];
}

/** None while nothing was ended. */
function endedLines({ ended }: SimulationResult): readonly string[] {
  const causes = Object.entries(ended).map(([cause, count]) => `${count} ${cause.replaceAll("_", " ")}`);
  return causes.length === 0 ? [] : [`nodes ended: ${causes.join(", ")}`];
}
