import { Command, CommanderError, InvalidArgumentError } from "commander";

export interface BenchOptions {
  /** Names of workloads; undefined: all. */
  readonly only?: readonly string[];
  readonly json?: string;
  readonly peer: boolean;
  readonly freshPeer: boolean;
  readonly peerRuns: number;
  readonly quarter: boolean;
  readonly warmMs: number;
  readonly improveMs: number;
}

export type Asked =
  | { readonly kind: "options"; readonly options: BenchOptions }
  /** Nothing is measured; the text is help, or what is wrong. */
  | { readonly kind: "said"; readonly text: string; readonly exitCode: 0 | 2 };

/** `args`: without the program's own name. */
export function askedOf(args: readonly string[], workloads: readonly string[]): Asked {
  const written: string[] = [];
  const write = (text: string): void => {
    written.push(text);
  };
  const command = new Command("npm run bench --")
    .description("How fast and how cheap our plans are, beside Karpenter's own scheduler where Go is there.")
    .option("--only <name>", "measure this workload (may be given again)", oneOf(workloads))
    .option("--json <file>", "write the figures there as JSON too")
    .option("--no-peer", "leave Karpenter out")
    .option("--fresh-peer", "run Karpenter anew, whatever earlier runs are kept", false)
    .option("--peer-runs <n>", "runs of Karpenter for each workload", wholeFrom(1), 3)
    .option("--no-quarter", "do not measure at a quarter of a CPU")
    .option("--warm-ms <n>", "go on with warm runs for so long", wholeFrom(1), 8_000)
    .option("--improve-ms <n>", "length of the long search for a cheaper plan; 0: none", wholeFrom(0), 2_000)
    .addHelpText("after", `\nWorkloads: ${workloads.join(", ")}`)
    .configureOutput({ writeOut: write, writeErr: write })
    .exitOverride();
  try {
    command.parse([...args], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { kind: "said", text: written.join("").trimEnd(), exitCode: error.exitCode === 0 ? 0 : 2 };
  }
  return { kind: "options", options: command.opts<BenchOptions>() };
}

function oneOf(names: readonly string[]) {
  return (name: string, before: readonly string[] | undefined): readonly string[] => {
    if (names.includes(name)) return [...(before ?? []), name];
    throw new InvalidArgumentError(`It must be one of ${names.join(", ")}.`);
  };
}

function wholeFrom(least: number) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} on.`);
  };
}
