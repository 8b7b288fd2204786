/**
 * `npm run bench [-- --only mix-1000] [--json FILE] [--no-peer] [--peer-runs N] [--no-quarter] [--warm-ms N]`: how fast
 * and how cheap our plans are, beside Karpenter's own scheduler when Go is there. Times run from parsed objects to the
 * plan; importing and parsing are left out and printed apart.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import type { Answer } from "../../cli/solve/problem.ts";
import { problemOf } from "../../cli/solve/read-problem.ts";
import { podName } from "../differential/checker/claim-check.ts";
import { cheapestPossible } from "../differential/lower-bound/relaxation.ts";
import { peerBinary } from "../differential/recorder/peer-run.ts";
import { benchTable } from "./bench-table.ts";
import { consolidationBench, consolidationTable } from "./consolidation-bench.ts";
import { consolidationWorkloads } from "./consolidation-workloads.ts";
import { fleetBench, fleetLine } from "./fleet-bench.ts";
import type { Measured } from "./measured.ts";
import { type Cpu, runToEnd } from "./process-run.ts";
import { type BenchRow, growthExponent, type PeerMeasured } from "./result.ts";
import { mixSizes, type Workload, workloads } from "./workloads.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    json: { type: "string" },
    peer: { type: "boolean", default: true },
    "peer-runs": { type: "string", default: "3" },
    quarter: { type: "boolean", default: true },
    "warm-ms": { type: "string", default: "3000" },
  },
  allowNegative: true,
});

const timeoutMs = 600_000;
/** A bound found late is worth no more than one found now. */
const boundMs = 60_000;
const directory = mkdtempSync(join(tmpdir(), "outrigger-bench-"));

async function ours(file: string, warmMs: number, cpu: Cpu): Promise<Measured> {
  const command = [process.execPath, join(import.meta.dirname, "child.ts"), file, String(warmMs)];
  const { code, out, error } = await runToEnd(command, cpu, timeoutMs);
  if (code !== 0) throw new Error(`our process failed: ${error.slice(0, 2_000)}`);
  return JSON.parse(out) as Measured;
}

/** Karpenter at its best setting: one candidate at a time. A process each, since its answers differ. */
async function karpenter(binary: string, problem: object, runs: number): Promise<PeerMeasured | undefined> {
  const options = { ...Reflect.get(problem, "options"), concurrency: 1 };
  const file = join(directory, "peer.json");
  writeFileSync(file, JSON.stringify({ ...problem, options }));
  const found: PeerMeasured[] = [];
  for (let i = 0; i < runs; i++) {
    const { code, out } = await runToEnd([binary, "-in", file, "-summary"], "whole", timeoutMs);
    const run = code === 0 ? (JSON.parse(out) as Answer).runs[0] : undefined;
    if (run === undefined) continue;
    const peakRssMB = (JSON.parse(out) as Answer).peakRSSMB;
    const { setupMs, solveMs, cheapestCostPerHour, podErrors, nodeClaims } = run;
    found.push({
      ms: setupMs + solveMs,
      runs: 1,
      pricePerHour: cheapestCostPerHour,
      unplaced: podErrors,
      claims: nodeClaims,
      peakRssMB,
    });
  }
  const [first, ...rest] = found;
  if (first === undefined) return undefined;
  const best = rest.reduce((a, b) => (b.pricePerHour < a.pricePerHour ? b : a), first);
  return { ...best, runs: found.length, ms: Math.min(...found.map(({ ms }) => ms)) };
}

async function benchRow({ name, problem, tooLargeForPeer }: Workload, binary: string | undefined): Promise<BenchRow> {
  const document = problem();
  const file = join(directory, `${name}.json`);
  writeFileSync(file, JSON.stringify(document));
  const warmMs = Number(values["warm-ms"]);
  const measured = await ours(file, warmMs, "whole");
  const quarter = values.quarter ? await ours(file, warmMs, "quarter") : undefined;
  const asked = binary !== undefined && tooLargeForPeer !== true;
  const peer = asked ? await karpenter(binary, document, Number(values["peer-runs"])) : undefined;
  const parsed = problemOf(JSON.parse(JSON.stringify(document)));
  const unplaced = new Set(measured.unplaced);
  const placed = new Set(parsed.pods.map(podName).filter((pod) => !unplaced.has(pod)));
  const row: BenchRow = {
    workload: name,
    pods: parsed.pods.length,
    ours: measured,
    ...(quarter === undefined ? {} : { quarter: timesOf(quarter) }),
    ...(peer === undefined ? {} : { peer }),
    boundPerHour: cheapestPossible(parsed, placed, performance.now() + boundMs),
  };
  console.log(
    `${name}: imports ${measured.importMs.toFixed(0)} ms, parsing ${measured.parseMs.toFixed(0)} ms, ${measured.warmRuns} warm runs${peer === undefined ? "" : `, ${peer.runs} of Karpenter's`}`,
  );
  return row;
}

function timesOf({ coldMs, warmMs }: Measured): NonNullable<BenchRow["quarter"]> {
  return { coldMs, ...(warmMs === undefined ? {} : { warmMs }) };
}

async function main(): Promise<void> {
  const binary = values.peer ? peerBinary() : { missing: "--no-peer" };
  if ("missing" in binary) console.log(`without Karpenter beside it: ${binary.missing}`);
  const rows: BenchRow[] = [];
  for (const workload of workloads) {
    if (values.only !== undefined && !values.only.includes(workload.name)) continue;
    rows.push(await benchRow(workload, "path" in binary ? binary.path : undefined));
  }
  console.log(benchTable(rows));
  const points = rows
    .filter(({ workload }) => mixSizes.some((size) => workload === `mix-${size}`))
    .flatMap(({ pods, ours: { warmMs } }) => (warmMs === undefined ? [] : [{ pods, ms: warmMs }]));
  const exponent = growthExponent(points);
  if (exponent !== undefined) {
    console.log(`time grows as n^${exponent.toFixed(2)} over ${points.length} sizes of the mix`);
  }
  const chosen = consolidationWorkloads.filter(({ name }) => values.only?.includes(name) !== false);
  const consolidation = await consolidationBench(chosen, directory, "path" in binary ? binary.path : undefined);
  if (consolidation.length > 0) console.log(consolidationTable(consolidation));
  const fleet = fleetBench();
  console.log(fleetLine(fleet));
  console.log("In brackets: Karpenter's pods without a place. ¼ CPU: one CPU, stopped for 30 ms of every 40.");
  if (values.json !== undefined) {
    writeFileSync(
      values.json,
      `${JSON.stringify({ rows, growthExponent: exponent ?? null, consolidation, fleet }, null, 1)}\n`,
    );
  }
}

try {
  await main();
} finally {
  rmSync(directory, { recursive: true, force: true });
}
