/**
 * `node test/differential/record-clusters.ts FROM COUNT`: clusters of so many seeds, each with what several processes
 * of the peer command by each method, in one file under `recorded-clusters/`.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type DisruptionMode, disruptionModes } from "../../cli/solve/disrupt.ts";
import { problemOf } from "../../cli/solve/read-problem.ts";
import { compareCluster, type RecordedCommand } from "./clusters/compare-cluster.ts";
import { generateCluster } from "./clusters/generate-cluster.ts";
import { clustersFolder, type RecordedCluster, writeClusters } from "./clusters/recorded-clusters.ts";
import { peerBinary, runPeer } from "./recorder/peer-run.ts";

/** Karpenter's order of equal nodes varies from process to process. */
const repeats: Readonly<Record<DisruptionMode, number>> = { emptiness: 1, multi: 3, single: 2 };
const timeoutMs = 60_000;

async function commandsOf(
  binary: string,
  text: string,
  mode: DisruptionMode,
): Promise<readonly (RecordedCommand | null)[] | string> {
  const found = new Map<string, RecordedCommand | null>();
  for (let i = 0; i < repeats[mode]; i++) {
    const run = await runPeer(binary, text, ["-mode", mode], timeoutMs);
    if (run.kind === "failed") return run.message;
    const [command] = run.answer.commands ?? [];
    const one =
      command === undefined
        ? null
        : {
            candidates: command.candidates,
            pricePerHour: (command.replacements ?? []).reduce((sum, { cheapest }) => sum + (cheapest?.price ?? 0), 0),
          };
    found.set(JSON.stringify(one), one);
  }
  return [...found.values()];
}

async function record(binary: string, seed: number): Promise<RecordedCluster | string> {
  const { name, features, problem } = generateCluster(seed);
  const text = JSON.stringify(problem);
  const answers: Partial<Record<DisruptionMode, readonly (RecordedCommand | null)[]>> = {};
  for (const mode of disruptionModes) {
    const commands = await commandsOf(binary, text, mode);
    if (typeof commands === "string") return `${name}: ${mode}: ${commands}`;
    answers[mode] = commands;
  }
  const { emptiness = [], multi = [], single = [] } = answers;
  return { name, features, problem, answers: { emptiness, multi, single } };
}

const [from = 0, count = 120] = process.argv.slice(2).map(Number);
const peer = peerBinary();
if ("missing" in peer) {
  console.error(`nothing recorded: ${peer.missing}`);
  process.exitCode = 3;
} else {
  mkdirSync(clustersFolder, { recursive: true });
  const recorded: RecordedCluster[] = [];
  for (let seed = from; seed < from + count; seed++) {
    const one = await record(peer.path, seed);
    if (typeof one === "string") {
      console.error(one);
      continue;
    }
    recorded.push(one);
    if (recorded.length % 10 === 0) console.log(`${recorded.length} of ${count}`);
    const problem = problemOf(one.problem);
    for (const mode of disruptionModes) {
      const theirs = one.answers[mode].map((command) => command ?? undefined);
      for (const { rule, message } of compareCluster(problem, mode, theirs))
        console.log(`${one.name}: ${rule}: ${message}`);
    }
  }
  writeClusters(join(clustersFolder, `clusters-${from}-and-on.json.gz`), recorded);
  console.log(`${recorded.length} of ${count} recorded`);
}
