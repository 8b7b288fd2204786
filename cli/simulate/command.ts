import { accessSync, constants, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Command } from "commander";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { problemText } from "../manifests/problem.ts";
import type { Terminal } from "../terminal.ts";
import { demoMinutesMax, expectedDemoMs, playDemo } from "./demo.ts";
import { readInput, type SimulationInput } from "./input.ts";
import { readMinutes, readSeed, type SimulateOptions } from "./options.ts";
import type { SimulationResult } from "./result.ts";
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
    .option("--interrupt", "let the spot market take instances back now and then", false)
    .addHelpText("after", examples)
    .action(async (options: Partial<SimulateOptions>) => answer(await simulate(checked(options), terminal)));
}

function checked({
  filename = [],
  minutes,
  seed = 1,
  json,
  interrupt = false,
}: Partial<SimulateOptions>): SimulateOptions {
  return { filename, minutes, seed, json, interrupt };
}

async function simulate(options: SimulateOptions, terminal: Terminal): Promise<ExitCode> {
  const input = readInput(options.filename);
  const problem = input.kind === "problems" ? input.problems.map(problemText).join("\n") : jsonProblem(options.json);
  if (input.kind === "problems" || problem !== undefined) {
    terminal.error(`${problem}\n`);
    return exitCode.badInput;
  }
  const shown = options.json === "-" ? silent(terminal) : terminal;
  const world = new World({ seed: options.seed, startMs: startMsFor(input.objects), interruptions: options.interrupt });
  const refusals = world.load(input.objects);
  if (refusals.length > 0) {
    terminal.error(`${refusals.join("\n")}\n`);
    return exitCode.badInput;
  }
  announce(options, input, world, shown);
  const { result, played } = await run(options, world, shown);
  if (options.json !== undefined) writeResult(options.json, result, terminal);
  for (const line of summaryLines(result, world.nowMs, world.nowMs - world.startMs)) shown.out(`${line}\n`);
  if (!played) terminal.error("the demo did not come to its end in time\n");
  return played && result.unplaced.length === 0 && result.short.length === 0 ? exitCode.done : exitCode.found;
}

async function run(
  { filename, minutes, seed }: SimulateOptions,
  world: World,
  terminal: Terminal,
): Promise<{ readonly result: SimulationResult; readonly played: boolean }> {
  if (filename.length > 0) {
    const endMs = world.startMs + (minutes ?? userMinutes) * 60_000;
    return { result: await show({ world, endMs, seed }, terminal), played: true };
  }
  let played = minutes !== undefined;
  const script = async (): Promise<void> => {
    played = await playDemo(world);
  };
  const endMs = world.startMs + (minutes ?? demoMinutesMax) * 60_000;
  return { result: await show({ world, endMs, seed, script, expectedMs: expectedDemoMs }, terminal), played };
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

function jsonProblem(file: string | undefined): string | undefined {
  if (file === undefined || file === "-") return undefined;
  try {
    accessSync(dirname(file), constants.W_OK);
    return statSync(file, { throwIfNoEntry: false })?.isDirectory() ? `--json ${file}: is a directory` : undefined;
  } catch {
    return `--json ${file}: its directory is not there or may not be written`;
  }
}

function writeResult(file: string, result: SimulationResult, terminal: Terminal): void {
  const text = `${JSON.stringify(result, null, 2)}\n`;
  if (file === "-") terminal.out(text);
  else writeFileSync(file, text);
}
