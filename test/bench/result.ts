import type { Figures, Measured } from "./measured.ts";

export interface PeerMeasured extends Figures {
  /** The fastest run. */
  readonly ms: number;
  readonly runs: number;
  /** Of the runs, so many were kept from an earlier bench. */
  readonly kept: number;
  readonly unplaced: number;
  readonly peakRssMB: number;
  /**
   * Our price over Karpenter's on the pods that both place, where it is highest over the runs: what only we place is not
   * paid for.
   */
  readonly priceRatio: number;
}

/** At a quarter of a CPU. */
export type Quarter = Pick<Measured, "importMs" | "parseMs" | "coldMs" | "warmMs" | "plain">;

export interface BenchRow {
  readonly workload: string;
  readonly pods: number;
  readonly ours: Measured;
  readonly quarter?: Quarter;
  /** The figures are those of the cheapest run. */
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
