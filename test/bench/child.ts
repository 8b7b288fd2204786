/**
 * `node child.ts FILE WARM_MS [LONG_MS]`: solves the problem once in this fresh process, then again for about WARM_MS (0: not
 * at all), without the search for a cheaper plan and, with LONG_MS, with one of that length and in another order of its
 * objects; prints what it measured as JSON.
 */
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import type { Placement, Problem } from "../../cli/solve/problem.ts";
import type { Measured, Priced } from "./measured.ts";

const startMs = performance.now();
const { problemOf } = await import("../../cli/solve/read-problem.ts");
const { solveProblem } = await import("../../cli/solve/solve.ts");
const importMs = performance.now() - startMs;

const warmRunsMax = 200;
const plainRuns = 3;

interface Run {
  readonly problem: Problem;
  readonly parseMs: number;
  readonly solveMs: number;
  readonly placement: Placement;
}

function solveOnce(text: string, improveMs?: number): Run {
  const fromMs = performance.now();
  const problem = problemOf(JSON.parse(text));
  const parseMs = performance.now() - fromMs;
  const { run, placement } = solveProblem(problem, improveMs);
  // `setupMs` makes instance types and a snapshot of the peer's form, which the peer's clock leaves out too.
  return { problem, parseMs: parseMs + run.setupMs, solveMs: run.solveMs, placement };
}

function median(numbers: readonly number[]): number | undefined {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

function peakRssMB(): number {
  return process.resourceUsage().maxRSS / 1024;
}

function plainOf(text: string): Priced {
  const runs = Array.from({ length: plainRuns }, () => solveOnce(text, 0));
  return priced(
    runs.map(({ solveMs }) => solveMs),
    runs[0],
  );
}

function priced(times: readonly number[], run: Run | undefined): Priced {
  const claims = run?.placement.nodeClaims ?? [];
  return {
    ms: median(times) ?? 0,
    pricePerHour: claims.reduce((sum, { cheapest }) => sum + (cheapest?.price ?? 0), 0),
  };
}

async function measure(file: string, warmMs: number, longMs: number): Promise<Measured> {
  const text = readFileSync(file, "utf8");
  const { problem, parseMs, solveMs: coldMs, placement } = solveOnce(text);
  const freshRssMB = peakRssMB();
  const times: number[] = [];
  const untilMs = performance.now() + warmMs;
  while (performance.now() < untilMs && times.length < warmRunsMax) times.push(solveOnce(text).solveMs);
  // The first half still warms up.
  const warm = median(times.slice(Math.floor(times.length / 2)));
  const plain = warmMs === 0 ? undefined : plainOf(text);
  const long = longMs === 0 ? undefined : solveOnce(text, longMs);
  // What the figures need is loaded once nothing is timed any more.
  const { figuresOf } = await import("./figures.ts");
  const { inAnotherOrder } = await import("./other-order.ts");
  const again = longMs === 0 ? undefined : solveProblem(problemOf(inAnotherOrder(JSON.parse(text)))).placement;
  return {
    ...figuresOf(problem, placement),
    importMs,
    parseMs,
    coldMs,
    ...(warm === undefined ? {} : { warmMs: warm }),
    warmRuns: times.length,
    unplaced: Object.keys(placement.podErrors),
    freshRssMB,
    peakRssMB: peakRssMB(),
    ...(plain === undefined ? {} : { plain }),
    ...(long === undefined ? {} : { long: { ...priced([long.solveMs], long), improveMs: longMs } }),
    ...(again === undefined ? {} : { sameShuffled: JSON.stringify(again) === JSON.stringify(placement) }),
  };
}

const [file = "", warmMs = 0, longMs = 0] = process.argv.slice(2);
console.log(JSON.stringify(await measure(file, Number(warmMs), Number(longMs))));
