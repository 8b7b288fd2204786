/** Karpenter's runs of one problem, and a place where they are kept: it takes minutes, and its binary does not change. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { cpus, homedir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Answer } from "../../cli/solve/problem.ts";
import { runToEnd } from "./process-run.ts";

export interface PeerRuns {
  readonly answers: readonly Answer[];
  /** Of them, so many were kept from earlier. */
  readonly kept: number;
}

export interface PeerAsk {
  readonly binary: string;
  readonly runs: number;
  /** Kept runs are not looked at. */
  readonly fresh: boolean;
  readonly timeoutMs: number;
  /** Where runs are kept. */
  readonly cache: string;
}

/** Outside the tree, beside the peer's binary. */
export function peerCache(): string {
  return join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "outrigger", "bench");
}

/** At its best setting, one candidate at a time; a process each, since its answers differ. */
export async function peerRuns(problem: object, ask: PeerAsk): Promise<PeerRuns> {
  const options = { ...Reflect.get(problem, "options"), concurrency: 1 };
  const text = JSON.stringify({ ...problem, options });
  const file = join(ask.cache, `${keyOf(ask.binary, text)}.json.gz`);
  const known = (ask.fresh ? [] : keptRuns(file)).slice(0, ask.runs);
  const answers = [...known];
  mkdirSync(ask.cache, { recursive: true });
  const input = join(ask.cache, `input-${process.pid}.json`);
  writeFileSync(input, text);
  for (let run = answers.length; run < ask.runs; run++) {
    const { code, out } = await runToEnd([ask.binary, "-in", input], "whole", ask.timeoutMs);
    if (code !== 0) break;
    answers.push(JSON.parse(out) as Answer);
    keep(file, answers);
  }
  return { answers, kept: known.length };
}

/** Times are those of one machine. */
function keyOf(binary: string, problem: string): string {
  const processors = cpus();
  const hash = createHash("sha256").update(readFileSync(binary)).update(problem);
  return hash.update(`${processors[0]?.model} ${processors.length}`).digest("hex").slice(0, 32);
}

function keptRuns(file: string): readonly Answer[] {
  try {
    return JSON.parse(gunzipSync(readFileSync(file)).toString()) as readonly Answer[];
  } catch {
    // Not there, or cut short: it is made anew.
    return [];
  }
}

/** Under another name first, so that nothing is there that is not whole. */
function keep(file: string, answers: readonly Answer[]): void {
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, gzipSync(JSON.stringify(answers)));
  renameSync(unfinished, file);
}
