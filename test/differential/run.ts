/**
 * `node test/differential/run.ts [--only seed-3] [--rule cost] [--shrink N] [--recorded FOLDER] [--ask]`: every recorded
 * problem, ours beside Karpenter's, as a table of differences by rule; the first N of them shrunk and shown.
 */
import { parseArgs } from "node:util";
import { problemOf } from "../../cli/solve/read-problem.ts";
import { compare, type Finding, ourSolver } from "./comparison/compare.ts";
import { shownCase } from "./comparison/shown.ts";
import { type Shrunk, shrink, shrinkAsking } from "./comparison/shrink.ts";
import { askPeer, peerBinary } from "./recorder/peer-run.ts";
import { recordedAnswer } from "./recorder/record.ts";
import { type RecordedProblem, readRecorded } from "./recorder/record-file.ts";

interface Difference {
  readonly recorded: RecordedProblem;
  readonly findings: readonly Finding[];
}

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    rule: { type: "string" },
    shrink: { type: "string", default: "0" },
    ask: { type: "boolean", default: false },
    recorded: { type: "string" },
    examples: { type: "string", default: "3" },
  },
});

function differences(): readonly Difference[] {
  const wanted = new Set(values.only ?? []);
  return readRecorded(values.recorded)
    .filter(({ name }) => wanted.size === 0 || wanted.has(name))
    .map((recorded) => ({ recorded, findings: compare(problemOf(recorded.problem), recorded.answers) }));
}

function table(all: readonly Difference[]): void {
  const differing = all.filter(({ findings }) => findings.length > 0);
  console.log(`${all.length - differing.length} of ${all.length} problems agree\n`);
  const rules = [...new Set(differing.flatMap(({ findings }) => findings.map(({ rule }) => rule)))].sort();
  for (const rule of rules) {
    const own = differing.flatMap(({ recorded, findings }) => {
      const finding = findings.find((one) => one.rule === rule);
      return finding === undefined ? [] : [{ name: recorded.name, message: finding.message }];
    });
    console.log(`${rule.padEnd(26)} ${String(own.length).padStart(4)} problems`);
    for (const { name, message } of own.slice(0, Number(values.examples)))
      console.log(`    ${name}: ${message.slice(0, 220)}`);
  }
}

/** Karpenter's runs at each step of shrinking, when it is asked. */
const timesAsked = 4;

function smallOf({ problem, answers }: RecordedProblem, rule: string): Shrunk | undefined {
  const read = problemOf(problem);
  if (!values.ask) return shrink(read, answers, rule, ourSolver);
  const peer = peerBinary();
  if ("missing" in peer) throw new Error(peer.missing);
  return shrinkAsking(read, answers, rule, ourSolver, (one) =>
    askPeer(peer.path, one, timesAsked).map((answer) => recordedAnswer(answer)),
  );
}

function showShrunk(all: readonly Difference[], most: number): void {
  const chosen = all.flatMap(({ recorded, findings }) => {
    const finding = findings.find(({ rule }) => values.rule === undefined || rule === values.rule);
    return finding === undefined ? [] : [{ recorded, rule: finding.rule }];
  });
  for (const { recorded, rule } of chosen.slice(0, most)) {
    const small = smallOf(recorded, rule);
    if (small === undefined) console.log(`\n${recorded.name}: ${rule} cannot be seen in one of Karpenter's runs alone`);
    else console.log(`\n${shownCase(recorded.name, small, ourSolver)}`);
  }
}

const all = differences();
table(all);
showShrunk(all, Number(values.shrink));
process.exitCode = all.some(({ findings }) => findings.length > 0) ? 1 : 0;
