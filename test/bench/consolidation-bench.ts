/** How fast consolidation decides, beside Karpenter's: `outrigger solve --mode` in a process of its own, on parsed objects. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Answer, AnswerRun } from "../../cli/solve/problem.ts";
import type { ConsolidationWorkload } from "./consolidation-workloads.ts";
import { type Cpu, runToEnd } from "./process-run.ts";

export interface ConsolidationRow {
  readonly workload: string;
  readonly freshMs: number;
  readonly warmMs: number;
  /** At a quarter of a CPU. */
  readonly quarter?: { readonly freshMs: number; readonly warmMs: number };
  readonly decision: string;
  readonly peakRssMB: number;
  readonly peerMs?: number;
  readonly peerDecision?: string;
}

const repeats = 9;
const timeoutMs = 600_000;
const outrigger = join(import.meta.dirname, "../../cli/outrigger.mjs");

export async function consolidationBench(
  workloads: readonly ConsolidationWorkload[],
  directory: string,
  binary: string | undefined,
  quarter: boolean,
): Promise<readonly ConsolidationRow[]> {
  const rows: ConsolidationRow[] = [];
  for (const workload of workloads) rows.push(await rowOf(workload, directory, binary, quarter));
  return rows;
}

async function rowOf(
  { name, mode, problem, tooLargeForPeer }: ConsolidationWorkload,
  directory: string,
  binary: string | undefined,
  quarter: boolean,
): Promise<ConsolidationRow> {
  const file = join(directory, `${name}.json`);
  writeFileSync(file, JSON.stringify(problem()));
  const words = ["solve", file, "--mode", mode, "--summary", "--repeat", String(repeats)];
  const command = [process.execPath, outrigger, ...words];
  const { runs, peakRSSMB } = await answerOf(command, [0, 1], "whole");
  const slow = quarter ? timesOf((await answerOf(command, [0, 1], "quarter")).runs) : undefined;
  const asked = binary !== undefined && tooLargeForPeer !== true;
  const peer = asked ? await answerOf([binary, "-in", file, "-mode", mode, "-summary"], [0], "whole") : undefined;
  const [theirs] = peer?.runs ?? [];
  return {
    workload: name,
    ...timesOf(runs),
    ...(slow === undefined ? {} : { quarter: slow }),
    decision: runs[0]?.decision ?? "",
    peakRssMB: peakRSSMB,
    ...(theirs === undefined ? {} : { peerMs: totalOf(theirs), peerDecision: theirs.decision ?? "" }),
  };
}

/** The first run of a process, and the median of the later half. */
function timesOf(runs: readonly AnswerRun[]): { readonly freshMs: number; readonly warmMs: number } {
  const [first, ...later] = runs.map(totalOf);
  const warm = later.slice(Math.floor(later.length / 2)).sort((a, b) => a - b);
  return { freshMs: first ?? 0, warmMs: warm[Math.floor(warm.length / 2)] ?? 0 };
}

async function answerOf(command: readonly string[], codes: readonly number[], cpu: Cpu): Promise<Answer> {
  const { code, out, error } = await runToEnd(command, cpu, timeoutMs);
  if (code === null || !codes.includes(code)) throw new Error(`${command[0]}: ${error.slice(0, 1_000)}`);
  return JSON.parse(out) as Answer;
}

function totalOf({ setupMs, solveMs }: AnswerRun): number {
  return setupMs + solveMs;
}

export function consolidationTable(rows: readonly ConsolidationRow[]): string {
  const head = [
    "consolidation",
    "Karpenter",
    "fresh",
    "warm",
    "¼ CPU fresh",
    "¼ CPU warm",
    "ratio",
    "RSS",
    "decision",
    "Karpenter's",
  ];
  const lines = rows.map((row) => [
    row.workload,
    row.peerMs === undefined ? "–" : milliseconds(row.peerMs),
    milliseconds(row.freshMs),
    milliseconds(row.warmMs),
    row.quarter === undefined ? "–" : milliseconds(row.quarter.freshMs),
    row.quarter === undefined ? "–" : milliseconds(row.quarter.warmMs),
    row.peerMs === undefined ? "–" : `${(row.peerMs / row.warmMs).toFixed(0)}×`,
    `${row.peakRssMB.toFixed(0)} MB`,
    row.decision,
    row.peerDecision ?? "–",
  ]);
  const widths = head.map((cell, i) => Math.max(cell.length, ...lines.map((line) => line[i]?.length ?? 0)));
  return [head, ...lines]
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function milliseconds(ms: number): string {
  return ms >= 10_000 ? `${(ms / 1_000).toFixed(0)} s` : `${ms.toFixed(0)} ms`;
}
