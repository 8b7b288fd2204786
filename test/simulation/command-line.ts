import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { main } from "../../cli/outrigger.ts";
import type { SimulationResult } from "../../cli/simulate/result.ts";
import { recordedTerminal } from "../support/recorded-terminal.ts";

export interface CommandRun {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** `outrigger …` in this process, as in a pipe. */
export async function outrigger(...words: readonly string[]): Promise<CommandRun> {
  const { terminal, said } = recordedTerminal();
  const code = await main(words, terminal);
  return { code, ...said };
}

/** `outrigger simulate … --json -`; manifests are given as text. */
export async function simulated(
  manifests: string | undefined,
  ...words: readonly string[]
): Promise<CommandRun & { readonly result: SimulationResult }> {
  const directory = mkdtempSync(join(tmpdir(), "outrigger-simulation-"));
  try {
    const file = join(directory, "manifests.yaml");
    if (manifests !== undefined) writeFileSync(file, manifests);
    const input = manifests === undefined ? [] : ["-f", file];
    const run = await outrigger("simulate", ...input, ...words, "--json", "-");
    if (run.out === "") throw new Error(`no result: ${run.error}`);
    return { ...run, result: JSON.parse(run.out) as SimulationResult };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
