/**
 * `node test/differential/recorder/record.ts FROM COUNT [FOLDER]`: problems of so many seeds, each with what five processes
 * of the peer answer, in batches under `recorded/` or another folder. A problem that the peer cannot read or solve in time is told and left out.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Answer } from "../../../cli/solve/problem.ts";
import { problemOf } from "../../../cli/solve/read-problem.ts";
import { generate } from "../generator/generate.ts";
import { peerBinary, runPeer } from "./peer-run.ts";
import { type RecordedAnswer, type RecordedProblem, recordedFolder, writeBatch } from "./record-file.ts";

const repeats = 5;
const timeoutMs = 60_000;
const batchSize = 35;
const longestError = 120;

export function recordedAnswer({ nodeClaims = [], existingNodes = [], podErrors = {} }: Answer): RecordedAnswer {
  return {
    nodeClaims: nodeClaims.map(({ nodePool, requirements, instanceTypes, pods }) => ({
      nodePool,
      requirements,
      instanceTypes,
      pods: [...pods].sort(),
    })),
    existingNodes: existingNodes.map(({ name, pods }) => ({ name, pods: [...pods].sort() })),
    podErrors: Object.fromEntries(
      Object.entries(podErrors).map(([pod, message]) => [pod, message.slice(0, longestError)]),
    ),
  };
}

export async function record(binary: string, seed: number): Promise<RecordedProblem | string> {
  const { name, features, problem } = generate(seed);
  problemOf(problem);
  const text = JSON.stringify(problem);
  const answers = new Map<string, RecordedAnswer>();
  for (let i = 0; i < repeats; i++) {
    const run = await runPeer(binary, text, [], timeoutMs);
    if (run.kind === "failed") return `${name}: ${run.message}`;
    const answer = recordedAnswer(run.answer);
    answers.set(JSON.stringify(answer), answer);
  }
  return { name, features, problem, answers: [...answers.values()] };
}

async function main(from: number, count: number, folder: string): Promise<number> {
  const peer = peerBinary();
  if ("missing" in peer) {
    console.error(`nothing recorded: ${peer.missing}`);
    return 3;
  }
  mkdirSync(folder, { recursive: true });
  let batch: RecordedProblem[] = [];
  for (let seed = from; seed < from + count; seed++) {
    const recorded = await record(peer.path, seed);
    if (typeof recorded === "string") console.error(recorded);
    else batch.push(recorded);
    if (batch.length === batchSize || seed === from + count - 1) {
      const [first] = batch;
      if (first !== undefined) writeBatch(join(folder, `${first.name}-and-on.json.gz`), batch);
      console.log(`${seed - from + 1} of ${count}`);
      batch = [];
    }
  }
  return 0;
}

if (process.argv[1] === import.meta.filename) {
  process.exitCode = await main(
    Number(process.argv[2] ?? 0),
    Number(process.argv[3] ?? 350),
    process.argv[4] ?? recordedFolder,
  );
}
