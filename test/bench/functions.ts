/**
 * `npm run bench:functions [-- --json FILE] [--runs N]`: what the deployed functions cost. The real bundles run as Lambda
 * runs them, under another user id, with nothing preloaded and no compile cache, between a real control plane and the
 * stand-in for AWS.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { billTable, type Measured } from "../../infra/own-bill.ts";
import { quietBills } from "../../infra/quiet-cluster.ts";
import { FunctionWorld, functionNodeClass } from "../e2e/support/function-world.ts";
import { nodePool } from "../e2e/support/manifests.ts";
import { controlPlaneBinary } from "../support/control-plane/binary.ts";
import { hardHour } from "../support/hard-hour.ts";
import type { InvocationResult } from "../support/lambda-runtime/invocation-result.ts";

const { values } = parseArgs({ options: { json: { type: "string" }, runs: { type: "string", default: "5" } } });
/** Too short for a second tick: the function leaves after its first one. */
const oneTickMs = 35_000;

function answered(result: InvocationResult): InvocationResult {
  if (result.ended.kind !== "answered") throw new Error(`${JSON.stringify(result.ended)}\n${result.log.join("\n")}`);
  return result;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

async function bench(world: FunctionWorld): Promise<void> {
  const catalog = await world.deploy("catalog", 120_000);
  const written = answered(await catalog.invoke({}));
  console.log(`catalog, all prices: ${shown([written])}`);
  for (const object of [functionNodeClass, nodePool("bench")]) await world.real.admin.create(object);
  const reconcile = await world.deploy("reconcile", oneTickMs);
  // Statuses and hashes of what is there are written once.
  for (let i = 0; i < 3; i++) answered(await reconcile.invoke({}));
  const cold: InvocationResult[] = [];
  const warm: InvocationResult[] = [];
  for (let i = 0; i < Number(values.runs); i++) {
    await world.real.admin.create(nodePool(`bench-${i}`));
    await reconcile.chill();
    cold.push(answered(await reconcile.invoke({})));
    warm.push(answered(await reconcile.invoke({})), answered(await reconcile.invoke({})));
  }
  const bundleKB = (world.bundles.get("reconcile")?.bytes ?? 0) / 1000;
  console.log(`reconcile, bundle: ${bundleKB.toFixed(0)} KB`);
  console.log(`reconcile, cold, first tick, one pool's status written: ${shown(cold)}`);
  console.log(`reconcile, warm: ${shown(warm)}`);
  const measured = { quietTick: measuredOf(warm), catalogue: measuredOf([written]) };
  const { awakeSecondsPerMinute, ticksPerMinute } = await hardHour();
  console.log(
    `a pod that fits nowhere and a drain that is refused: ${ticksPerMinute} ticks a minute, ${awakeSecondsPerMinute.toFixed(2)} s awake`,
  );
  console.log(
    `What Outrigger itself costs in a quiet cluster, by these durations:\n${billTable(quietBills(measured))}`,
  );
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ bundleKB, cold, warm }, null, 1)}\n`);
}

function measuredOf(results: readonly InvocationResult[]): Measured {
  const cpuMs = median(results.map((result) => result.cpuMs));
  return { cpuMs, waitMs: Math.max(0, median(results.map(({ durationMs }) => durationMs)) - cpuMs) };
}

function shown(results: readonly InvocationResult[]): string {
  const of = (pick: (result: InvocationResult) => number): string => median(results.map(pick)).toFixed(0);
  return `${of(({ cpuMs }) => cpuMs)} CPU-ms, ${of(({ durationMs }) => durationMs)} ms, ${of(({ peakRssMB }) => peakRssMB)} MB (median of ${results.length})`;
}

const binary = await controlPlaneBinary();
if (binary.kind === "missing") console.log(`bench:functions skipped: ${binary.why}`);
else {
  process.env.OUTRIGGER_CONTROL_PLANE = binary.path;
  const world = await FunctionWorld.start();
  try {
    await bench(world);
  } finally {
    await world.stop();
  }
}
