import { Command, InvalidArgumentError, Option } from "commander";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { improveOption } from "../improve-budget.ts";
import { type ManifestProblem, problemText } from "../manifests/problem.ts";
import type { Terminal } from "../terminal.ts";
import { disruptionModes, disruptProblem } from "./disrupt.ts";
import type { Answer, AnswerRun, Problem } from "./problem.ts";
import { problemIn, readSource } from "./read-problem.ts";
import { solveProblem } from "./solve.ts";

const modes = ["provision", ...disruptionModes] as const;
const repeatMax = 1_000;

interface SolveOptions {
  readonly mode: (typeof modes)[number];
  readonly repeat: number;
  readonly summary: boolean;
  readonly improveMs?: number;
}

const details = `
PROBLEM is one JSON or YAML document (- for stdin): options, nodePools, instanceTypes, nodes, pods, daemonSets, objects.
The answer is one JSON document; of several runs the first one's placements are printed.

The other modes say which nodes would go, alone or together, and what would come for them (commands); kept says why
nodes stay.

Exit codes: 0 every pod has a place, or a command was found; 1 a pod has none, or no node goes; 2 bad input.`;

/** `outrigger solve`; `answer` is told the exit code. */
export function solveCommand(terminal: Terminal, answer: (code: ExitCode) => void): Command {
  return new Command("solve")
    .description(
      "Solve one scheduling problem from a file, in the form in which Karpenter's own scheduler can read it.",
    )
    .argument("<problem>", "file with the problem; - for stdin")
    .addOption(new Option("--mode <mode>", "what to decide").choices(modes).default("provision"))
    .option("--repeat <n>", "solve so often, each time from parsed objects", wholeNumber(1, repeatMax), 1)
    .option("--summary", "leave the placements out", false)
    .addOption(improveOption())
    .addHelpText("after", details)
    .action((path: string, options: SolveOptions) => answer(solve(path, options, terminal)));
}

function solve(path: string, options: SolveOptions, terminal: Terminal): ExitCode {
  const input = readSource(path);
  if (input.kind === "problems") return refuse(input.problems, terminal);
  const runs: AnswerRun[] = [];
  let first: OneRun | undefined;
  for (let i = 0; i < options.repeat; i++) {
    // Parsed anew each time, so that nothing is remembered of the objects.
    const read = problemIn(input.source);
    if (read.kind === "problems") return refuse(read.problems, terminal);
    const solved = oneRun(read.problem, options);
    first ??= solved;
    runs.push(solved.run);
  }
  const document: Answer = {
    mode: options.mode,
    karpenter: "outrigger",
    runs,
    ...(options.summary ? {} : first?.answer),
    peakRSSMB: Math.round(process.resourceUsage().maxRSS / 1024),
  };
  terminal.out(`${JSON.stringify(document, null, 1)}\n`);
  return first?.code ?? exitCode.badInput;
}

interface OneRun {
  readonly run: AnswerRun;
  readonly answer: Partial<Answer>;
  readonly code: ExitCode;
}

function oneRun(problem: Problem, { mode, improveMs }: Pick<SolveOptions, "mode" | "improveMs">): OneRun {
  if (mode === "provision") {
    const { run, placement } = solveProblem(problem, improveMs);
    const isWhole = Object.keys(placement.podErrors).length === 0;
    return { run, answer: placement, code: isWhole ? exitCode.done : exitCode.found };
  }
  const { run, commands, kept } = disruptProblem(problem, mode);
  return { run, answer: { commands, kept }, code: commands.length > 0 ? exitCode.done : exitCode.found };
}

function refuse(problems: readonly ManifestProblem[], terminal: Terminal): ExitCode {
  terminal.error(`${problems.map(problemText).join("\n")}\n`);
  return exitCode.badInput;
}

function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}
