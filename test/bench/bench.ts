/**
 * `npm run bench [-- --help]`: how fast and how cheap our plans are, beside Karpenter's own scheduler when Go is there. Times
 * run from parsed objects to the plan; importing and parsing are left out and printed apart.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { peerBinary } from "../differential/recorder/peer-run.ts";
import { askedOf, type BenchOptions } from "./bench-options.ts";
import { benchTables, orderLine } from "./bench-table.ts";
import { consolidationBench, consolidationTable } from "./consolidation-bench.ts";
import { consolidationWorkloads } from "./consolidation-workloads.ts";
import { fleetBench, fleetLine } from "./fleet-bench.ts";
import { quarterHold, release } from "./process-run.ts";
import { type BenchRow, growthExponent } from "./result.ts";
import { benchRow } from "./workload-bench.ts";
import { growthSizes, workloads } from "./workloads.ts";

async function bench(options: BenchOptions, directory: string): Promise<boolean> {
  const found = options.peer ? peerBinary() : { missing: "--no-peer" };
  if ("missing" in found) console.log(`without Karpenter beside it: ${found.missing}`);
  const binary = "path" in found ? found.path : undefined;
  const isChosen = ({ name }: { readonly name: string }): boolean => options.only?.includes(name) !== false;
  const rows: BenchRow[] = [];
  for (const workload of workloads.filter(isChosen)) {
    console.error(`${workload.name} …`);
    rows.push(await benchRow(workload, { options, directory, binary }));
  }
  const growth = growthOf(rows);
  if (rows.length > 0) {
    const lines = [growth.line, orderLine(rows)].flatMap((line) => line ?? []);
    console.log([benchTables(rows), "", ...lines, ""].join("\n"));
  }
  const chosen = consolidationWorkloads.filter(isChosen);
  const consolidation = await consolidationBench(chosen, directory, binary, options.quarter);
  if (consolidation.length > 0) console.log(`${consolidationTable(consolidation)}\n`);
  const fleet = fleetBench();
  console.log(fleetLine(fleet));
  console.log("In brackets: Karpenter's. /Karpenter: on the pods that both place, beside its cheapest run for them.");
  if (options.quarter) console.log(`¼ CPU: ${quarterHold().words}.`);
  const [load = 0] = loadavg();
  if (load > cpus().length) {
    console.log(
      `This machine has more to do (load ${load.toFixed(1)} on ${cpus().length} CPUs): the times are too long.`,
    );
  }
  if (options.json !== undefined) {
    const figures = { rows, growthExponent: growth.exponent ?? null, consolidation, fleet };
    writeFileSync(options.json, `${JSON.stringify(figures, null, 1)}\n`);
  }
  return rows.every(({ ours }) => ours.sameShuffled !== false);
}

function growthOf(rows: readonly BenchRow[]): { readonly exponent?: number; readonly line?: string } {
  const points = rows
    .filter(({ workload }) => growthSizes.some((size) => workload === `mix-${size}`))
    .flatMap(({ pods, ours: { warmMs } }) => (warmMs === undefined ? [] : [{ pods, ms: warmMs }]));
  const exponent = growthExponent(points);
  if (exponent === undefined) return {};
  const sizes = points.map(({ pods }) => pods.toLocaleString("en")).join(", ");
  return {
    exponent,
    line: `warm time grows as n^${exponent.toFixed(2)} over ${points.length} sizes of the mix (${sizes})`,
  };
}

const names = [...workloads, ...consolidationWorkloads].map(({ name }) => name);
const asked = askedOf(process.argv.slice(2), names);
if (asked.kind === "said") {
  (asked.exitCode === 0 ? console.log : console.error)(asked.text);
  process.exitCode = asked.exitCode;
} else {
  const directory = mkdtempSync(join(tmpdir(), "outrigger-bench-"));
  try {
    if (!(await bench(asked.options, directory))) process.exitCode = 1;
  } finally {
    rmSync(directory, { recursive: true, force: true });
    if (asked.options.quarter) release(quarterHold());
  }
}
