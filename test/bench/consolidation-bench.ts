/** How fast consolidation decides, beside Karpenter's: `outrigger solve --mode` in a process of its own, on parsed objects. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Answer, AnswerRun } from "../../cli/solve/problem.ts";
import type { ConsolidationWorkload } from "./consolidation-workloads.ts";
import { runToEnd } from "./process-run.ts";

export interface ConsolidationRow {
  readonly workload: string;
  /** The first run of a process, and the median of the later half. */
  readonly freshMs: number;
  readonly warmMs: number;
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
): Promise<readonly ConsolidationRow[]> {
  const rows: ConsolidationRow[] = [];
  for (const workload of workloads) rows.push(await rowOf(workload, directory, binary));
  return rows;
}

async function rowOf(
  { name, mode, problem, tooLargeForPeer }: ConsolidationWorkload,
  directory: string,
  binary: string | undefined,
): Promise<ConsolidationRow> {
  const file = join(directory, `${name}.json`);
  writeFileSync(file, JSON.stringify(problem()));
  const words = ["solve", file, "--mode", mode, "--summary", "--repeat", String(repeats)];
  const { runs, peakRSSMB } = await answerOf([process.execPath, outrigger, ...words], [0, 1]);
  const [first, ...later] = runs.map(totalOf);
  const warm = later.slice(Math.floor(later.length / 2)).sort((a, b) => a - b);
  const asked = binary !== undefined && tooLargeForPeer !== true;
  const peer = asked ? await answerOf([binary, "-in", file, "-mode", mode, "-summary"], [0]) : undefined;
  const [theirs] = peer?.runs ?? [];
  return {
    workload: name,
    freshMs: first ?? 0,
    warmMs: warm[Math.floor(warm.length / 2)] ?? 0,
    decision: runs[0]?.decision ?? "",
    peakRssMB: peakRSSMB,
    ...(theirs === undefined ? {} : { peerMs: totalOf(theirs), peerDecision: theirs.decision ?? "" }),
  };
}

async function answerOf(command: readonly string[], codes: readonly number[]): Promise<Answer> {
  const { code, out, error } = await runToEnd(command, "whole", timeoutMs);
  if (code === null || !codes.includes(code)) throw new Error(`${command[0]}: ${error.slice(0, 1_000)}`);
  return JSON.parse(out) as Answer;
}

function totalOf({ setupMs, solveMs }: AnswerRun): number {
  return setupMs + solveMs;
}

export function consolidationTable(rows: readonly ConsolidationRow[]): string {
  const head = ["consolidation", "Karpenter", "fresh", "warm", "ratio", "RSS", "decision", "Karpenter's"];
  const lines = rows.map((row) => [
    row.workload,
    row.peerMs === undefined ? "–" : milliseconds(row.peerMs),
    milliseconds(row.freshMs),
    milliseconds(row.warmMs),
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
