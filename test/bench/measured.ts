/** What one process of ours says of one problem. */
export interface Measured {
  readonly importMs: number;
  readonly parseMs: number;
  /** The first solve of a fresh process: from parsed objects to the plan. */
  readonly coldMs: number;
  /** Median of the later ones, each on objects parsed anew; undefined when they were not asked for. */
  readonly warmMs?: number;
  readonly warmRuns: number;
  readonly claims: number;
  readonly pricePerHour: number;
  readonly unplaced: readonly string[];
  /** Means over the claims. */
  readonly types: number;
  readonly zones: number;
  readonly peakRssMB: number;
}
