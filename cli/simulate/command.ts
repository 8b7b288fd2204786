import { Command } from "commander";
import { prometheusText } from "../../shared/adapters/telemetry/prometheus/text.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { problemText } from "../manifests/problem.ts";
import type { Terminal } from "../terminal.ts";
import { demoMinutesMax, expectedDemoMs, playDemo } from "./demo.ts";
import { readInput, type SimulationInput } from "./input.ts";
import { readMinutes, readOffHours, readSeed, type SimulateOptions } from "./options.ts";
import type { SimulationResult } from "./result.ts";
import { fileProblem, writeResult } from "./result-file.ts";
import { show } from "./run.ts";
import { startMsFor } from "./start-time.ts";
import { summaryLines } from "./summary.ts";
import { World } from "./world.ts";

const userMinutes = 30;

const examples = `
Examples:
  outrigger simulate                          the demo: scale-up, a spot interruption, scale-down
  outrigger simulate -f my.yaml -f dir/       your manifests, for 30 simulated minutes
  kubectl get nodepools,ec2nodeclasses,deployments -A -o yaml | outrigger simulate -f -

Exit codes: 0 every pod has a place at the end; 1 one has none; 2 bad input.`;

/** `outrigger simulate`; `answer` is told the exit code. */
export function simulateCommand(terminal: Terminal, answer: (code: ExitCode) => void): Command {
  return new Command("simulate")
    .description("Run Outrigger against a simulated cluster and a simulated EC2 on a virtual clock.")
    .option("-f, --filename <path...>", "manifests: files, directories, - for stdin (default: the demo)")
    .option("--minutes <n>", `simulated minutes (default: the demo's own end, ${userMinutes} with -f)`, readMinutes)
    .option("--seed <n>", "the same seed gives the same run", readSeed, 1)
    .option(
      "--json <file>",
      "write the final objects, the timeline and the cost as JSON; - for stdout and nothing else",
    )
    .option(
      "--metrics <file>",
      "write Karpenter's metrics at the end, as Prometheus reads them; - for stdout and nothing else",
    )
    .option("--interrupt", "let the spot market take instances back now and then", false)
    .option("--off-hours <json>", "times in which NodePools rest, as in docs/deployment.md", readOffHours, [])
    .addHelpText("after", examples)
    .action(async (options: Partial<SimulateOptions>) => answer(await simulate(checked(options), terminal)));
}

function checked({
  filename = [],
  minutes,
  seed = 1,
  json,
  metrics,
  interrupt = false,
  offHours = [],
}: Partial<SimulateOptions>): SimulateOptions {
  return { filename, minutes, seed, json, metrics, interrupt, offHours };
}

async function simulate(options: SimulateOptions, terminal: Terminal): Promise<ExitCode> {
  const ready = prepared(options);
  if (ready.kind === "refused") {
    terminal.error(`${ready.messages.join("\n")}\n`);
    return exitCode.badInput;
  }
  const { input, world } = ready;
  const shown = options.json === "-" || options.metrics === "-" ? silent(terminal) : terminal;
  announce(options, input, world, shown);
  const ran = await run(options, world, shown);
  const unwritten = hand(ran.result, options.json, terminal) ?? handMetrics(world, options.metrics, terminal);
  const width = shown.live ? shown.columns() : undefined;
  for (const line of summaryLines(ran.result, world.nowMs, world.nowMs - world.startMs, width)) shown.out(`${line}\n`);
  if (unwritten !== undefined) {
    terminal.error(`${unwritten}\n`);
    return exitCode.badInput;
  }
  // Whoever read has enough, and the run was cut short: it found nothing.
  if (fileOf(options.json) === undefined && terminal.lost?.()?.kind === "closed") return exitCode.done;
  return codeOf(ran, terminal);
}

type Prepared =
  | { readonly kind: "ready"; readonly input: SimulationInput; readonly world: World }
  | { readonly kind: "refused"; readonly messages: readonly string[] };

/** All that can be wrong is found before the run. */
function prepared({ filename, json, metrics, seed, interrupt, offHours }: SimulateOptions): Prepared {
  const input = readInput(filename);
  if (input.kind === "problems") return { kind: "refused", messages: input.problems.map(problemText) };
  const problem = json === "-" && metrics === "-" ? bothToStdout : outputProblem(json, metrics);
  if (problem !== undefined) return { kind: "refused", messages: [problem] };
  const world = new World({
    seed,
    startMs: startMsFor(input.objects),
    interruptions: interrupt,
    offHours,
    metrics: metrics !== undefined,
  });
  const refusals = world.load(input.objects);
  return refusals.length > 0 ? { kind: "refused", messages: refusals } : { kind: "ready", input, world };
}

const bothToStdout = "--json - and --metrics - both want stdout: give one of them a file";

function outputProblem(json: string | undefined, metrics: string | undefined): string | undefined {
  const [document, series] = [fileOf(json), fileOf(metrics)];
  return (
    (document === undefined ? undefined : fileProblem(document)) ??
    (series === undefined ? undefined : fileProblem(series, "--metrics"))
  );
}

/** Undefined for stdout, and when nothing is to be written. */
function fileOf(path: string | undefined): string | undefined {
  return path === "-" ? undefined : path;
}

/** Hands the document to whom it is for; answers what went wrong. */
function hand(result: SimulationResult, json: string | undefined, terminal: Terminal): string | undefined {
  if (json === undefined) return undefined;
  const document = `${JSON.stringify(result, null, 2)}\n`;
  if (json !== "-") return writeResult(json, document);
  terminal.out(document);
  return undefined;
}

function handMetrics({ metrics }: World, file: string | undefined, terminal: Terminal): string | undefined {
  if (file === undefined || metrics === undefined) return undefined;
  const text = prometheusText(metrics.series());
  if (file !== "-") return writeResult(file, text, "--metrics");
  terminal.out(text);
  return undefined;
}

interface Ran {
  readonly result: SimulationResult;
  /** The demo came to its end. */
  readonly played: boolean;
}

function codeOf({ result, played }: Ran, terminal: Terminal): ExitCode {
  if (!played) terminal.error("the demo did not come to its end in time\n");
  return played && result.unplaced.length === 0 && result.short.length === 0 ? exitCode.done : exitCode.found;
}

async function run({ filename, minutes, seed, json }: SimulateOptions, world: World, terminal: Terminal): Promise<Ran> {
  const wanted = json !== undefined;
  if (filename.length > 0) {
    const endMs = world.startMs + (minutes ?? userMinutes) * 60_000;
    return { result: await show({ world, endMs, seed, wanted }, terminal), played: true };
  }
  let played = minutes !== undefined;
  const script = async (): Promise<void> => {
    played = await playDemo(world);
  };
  const endMs = world.startMs + (minutes ?? demoMinutesMax) * 60_000;
  return { result: await show({ world, endMs, seed, wanted, script, expectedMs: expectedDemoMs }, terminal), played };
}

function announce(
  options: SimulateOptions,
  { objects, notes }: SimulationInput,
  world: World,
  terminal: Terminal,
): void {
  const what = options.filename.length === 0 ? "the demo" : options.filename.join(" ");
  const market = options.interrupt ? ", spot interruptions now and then" : "";
  terminal.out(
    `Outrigger against a simulated EKS cluster and EC2 in us-east-1: ${what}, seed ${options.seed}${market}\n\n`,
  );
  for (const message of notes) world.tell({ kind: "note", message });
  world.tell({ kind: "apply", message: objectsText(objects) });
}

/** Names where there are few, else how many of each kind. */
function objectsText(objects: SimulationInput["objects"]): string {
  const names = objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
  if (names.length <= 6) return names.join(", ");
  const counts = new Map<string, number>();
  for (const { kind } of objects) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(", ");
}

/** The timeline goes nowhere when stdout belongs to the document. */
function silent(terminal: Terminal): Terminal {
  return { ...terminal, out: () => {}, live: false };
}
