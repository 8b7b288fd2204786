/** One workload: our process, at a quarter of a CPU too, Karpenter's runs, and the lower bound. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { Answer, Placement, Problem } from "../../cli/solve/problem.ts";
import { problemOf } from "../../cli/solve/read-problem.ts";
import { podName } from "../differential/checker/claim-check.ts";
import { podsInBoth } from "../differential/comparison/pods-alike.ts";
import { cheapestPossible } from "../differential/lower-bound/relaxation.ts";
import type { BenchOptions } from "./bench-options.ts";
import { figuresOf, priceOf } from "./figures.ts";
import type { Measured } from "./measured.ts";
import { peerCache, peerRuns } from "./peer-bench.ts";
import { type Cpu, runToEnd } from "./process-run.ts";
import type { BenchRow, PeerMeasured } from "./result.ts";
import type { Workload } from "./workloads.ts";

const timeoutMs = 600_000;
/** A bound found late is worth no more than one found now. */
const boundMs = 60_000;

export interface BenchGround {
  readonly options: BenchOptions;
  /** For files that are thrown away. */
  readonly directory: string;
  /** Of Karpenter; undefined: it is left out. */
  readonly binary: string | undefined;
}

/** What is asked of our process: how long it runs warm, and how long it searches for a cheaper plan. */
interface Effort {
  readonly warmMs: number;
  readonly improveMs: number;
}

export async function benchRow(
  { name, problem, tooLargeForPeer }: Workload,
  { options, directory, binary }: BenchGround,
): Promise<BenchRow> {
  const document = problem();
  const parsed = problemOf(JSON.parse(JSON.stringify(document)));
  const ask = (what: object, effort: Effort, cpu: Cpu): Promise<Measured> => {
    const file = join(directory, `${name}.json`);
    writeFileSync(file, JSON.stringify(what));
    return ours(file, effort, cpu);
  };
  const { warmMs, improveMs } = options;
  const measured = await ask(document, { warmMs, improveMs }, "whole");
  const quarter = options.quarter ? await ask(document, { warmMs, improveMs: 0 }, "quarter") : undefined;
  const placed = placedOf(parsed, measured.unplaced);
  const asked = binary !== undefined && tooLargeForPeer !== true;
  const priceFor = async (pods: ReadonlySet<string>): Promise<number> => {
    if (pods.size === placed.size) return measured.pricePerHour;
    const fewer = parsed.pods.map((pod) => pods.has(podName(pod)));
    const few = { ...document, pods: podsOf(document).filter((_, i) => fewer[i]) };
    return (await ask(few, { warmMs: 0, improveMs: 0 }, "whole")).pricePerHour;
  };
  const peer = asked ? await karpenter(document, parsed, binary, options, placed, priceFor) : undefined;
  return {
    workload: name,
    pods: parsed.pods.length,
    ours: measured,
    ...(quarter === undefined ? {} : { quarter }),
    ...(peer === undefined ? {} : { peer }),
    boundPerHour: cheapestPossible(parsed, placed, performance.now() + boundMs),
  };
}

async function ours(file: string, { warmMs, improveMs }: Effort, cpu: Cpu): Promise<Measured> {
  const words = [join(import.meta.dirname, "child.ts"), file, String(warmMs), String(improveMs)];
  const { code, out, error } = await runToEnd([process.execPath, ...words], cpu, timeoutMs);
  if (code !== 0) throw new Error(`our process failed: ${error.slice(0, 2_000)}`);
  return JSON.parse(out) as Measured;
}

/** All pods of these problems wait for a node. */
function placedOf({ pods }: Problem, unplaced: readonly string[]): ReadonlySet<string> {
  const left = new Set(unplaced);
  return new Set(pods.map(podName).filter((name) => !left.has(name)));
}

function podsOf(document: object): readonly unknown[] {
  const pods: unknown = Reflect.get(document, "pods");
  return Array.isArray(pods) ? pods : [];
}

async function karpenter(
  document: object,
  problem: Problem,
  binary: string,
  { peerRuns: runs, freshPeer: fresh }: BenchOptions,
  placed: ReadonlySet<string>,
  priceFor: (pods: ReadonlySet<string>) => Promise<number>,
): Promise<PeerMeasured | undefined> {
  const { answers, kept } = await peerRuns(document, { binary, runs, fresh, timeoutMs, cache: peerCache() });
  const placements = answers.map(placementOf);
  const [first, ...rest] = placements;
  if (first === undefined) return undefined;
  let priceRatio = 0;
  for (const placement of placements) {
    const theirs = placedOf(problem, Object.keys(placement.podErrors));
    const both = podsInBoth(problem.pods, placed, theirs);
    const price = priceOf(placement.nodeClaims.filter(({ pods }) => pods.some((pod) => both.has(pod))));
    priceRatio = Math.max(priceRatio, (await priceFor(both)) / price);
  }
  const cheapest = rest.reduce((a, b) => (priceOf(b.nodeClaims) < priceOf(a.nodeClaims) ? b : a), first);
  const totals = answers.flatMap((answer) => answer.runs.map(({ setupMs, solveMs }) => setupMs + solveMs));
  return {
    ...figuresOf(problem, cheapest),
    ms: Math.min(...totals),
    runs: answers.length,
    kept,
    unplaced: Object.keys(cheapest.podErrors).length,
    peakRssMB: Math.max(...answers.map(({ peakRSSMB }) => peakRSSMB)),
    priceRatio,
  };
}

/** Karpenter leaves out what is empty. */
function placementOf({ nodeClaims, existingNodes, podErrors }: Answer): Placement {
  return { nodeClaims: nodeClaims ?? [], existingNodes: existingNodes ?? [], podErrors: podErrors ?? {} };
}
