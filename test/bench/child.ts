/**
 * `node child.ts FILE WARM_MS`: solves the problem once in this fresh process, then again for about so long (0: not at
 * all), and prints what it measured as JSON.
 */
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import type { AnswerClaim, Placement } from "../../cli/solve/problem.ts";
import type { Measured } from "./measured.ts";

const startMs = performance.now();
const { problemOf } = await import("../../cli/solve/read-problem.ts");
const { solveProblem } = await import("../../cli/solve/solve.ts");
const importMs = performance.now() - startMs;

const warmRunsMax = 200;
const zoneKey = "topology.kubernetes.io/zone";

function solveOnce(text: string): {
  readonly parseMs: number;
  readonly solveMs: number;
  readonly placement: Placement;
} {
  const fromMs = performance.now();
  const problem = problemOf(JSON.parse(text));
  const parseMs = performance.now() - fromMs;
  const { run, placement } = solveProblem(problem);
  return { parseMs, solveMs: run.setupMs + run.solveMs, placement };
}

function median(numbers: readonly number[]): number | undefined {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

function mean(claims: readonly AnswerClaim[], of: (claim: AnswerClaim) => number): number {
  return claims.length === 0 ? 0 : claims.reduce((sum, claim) => sum + of(claim), 0) / claims.length;
}

function measure(file: string, warmMs: number): Measured {
  const text = readFileSync(file, "utf8");
  const { parseMs, solveMs: coldMs, placement } = solveOnce(text);
  const times: number[] = [];
  const untilMs = performance.now() + warmMs;
  while (performance.now() < untilMs && times.length < warmRunsMax) times.push(solveOnce(text).solveMs);
  // The first half still warms up.
  const warm = median(times.slice(Math.floor(times.length / 2)));
  const { nodeClaims, podErrors } = placement;
  return {
    importMs,
    parseMs,
    coldMs,
    ...(warm === undefined ? {} : { warmMs: warm }),
    warmRuns: times.length,
    claims: nodeClaims.length,
    pricePerHour: nodeClaims.reduce((sum, { cheapest }) => sum + (cheapest?.price ?? 0), 0),
    unplaced: Object.keys(podErrors),
    types: mean(nodeClaims, ({ instanceTypes }) => instanceTypes.length),
    zones: mean(nodeClaims, ({ requirements }) => requirements.find(({ key }) => key === zoneKey)?.values?.length ?? 3),
    peakRssMB: process.resourceUsage().maxRSS / 1024,
  };
}

console.log(JSON.stringify(measure(process.argv[2] ?? "", Number(process.argv[3] ?? 0))));
