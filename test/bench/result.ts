import type { Measured } from "./measured.ts";

export interface PeerMeasured {
  /** The fastest run. */
  readonly ms: number;
  readonly runs: number;
  /** Of the runs the cheapest, and pods that it left without a place. */
  readonly pricePerHour: number;
  readonly unplaced: number;
  readonly claims: number;
  readonly peakRssMB: number;
}

export interface BenchRow {
  readonly workload: string;
  readonly pods: number;
  readonly ours: Measured;
  /** The first solve of a fresh process and a warm one at a quarter of a CPU. */
  readonly quarter?: { readonly coldMs: number; readonly warmMs?: number };
  readonly peer?: PeerMeasured;
  readonly boundPerHour: number;
}

/** How the time grows with the number of pods n: the exponent e of the n^e that fits best. */
export function growthExponent(points: readonly { readonly pods: number; readonly ms: number }[]): number | undefined {
  if (points.length < 2) return undefined;
  const logs = points.map(({ pods, ms }) => [Math.log(pods), Math.log(ms)] as const);
  const meanX = logs.reduce((sum, [x]) => sum + x, 0) / logs.length;
  const meanY = logs.reduce((sum, [, y]) => sum + y, 0) / logs.length;
  const over = logs.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const under = logs.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return under === 0 ? undefined : over / under;
}
