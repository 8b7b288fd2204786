/** What one process of ours says of one problem. Times in milliseconds, from parsed objects to the plan unless said otherwise. */
export interface Measured extends Figures {
  readonly importMs: number;
  readonly parseMs: number;
  /** The first solve of a fresh process. */
  readonly coldMs: number;
  /** Median of the later ones, each on objects parsed anew; undefined when they were not asked for. */
  readonly warmMs?: number;
  readonly warmRuns: number;
  readonly unplaced: readonly string[];
  /** The most that the process took until the first plan was there, and until its end. */
  readonly freshRssMB: number;
  readonly peakRssMB: number;
  /** Without the search for a cheaper plan, warm. */
  readonly plain?: Priced;
  /** With a search of so long. */
  readonly long?: Priced & { readonly improveMs: number };
  /** The same problem in another order has the same answer, byte for byte; undefined when it was not asked for. */
  readonly sameShuffled?: boolean;
}

export interface Priced {
  readonly ms: number;
  readonly pricePerHour: number;
}

/** Of one plan, ours or Karpenter's. */
export interface Figures {
  readonly claims: number;
  readonly pricePerHour: number;
  /** Means over the claims. */
  readonly types: number;
  readonly zones: number;
  /** Preferences of the pods that have a place, by weight: met and stated; undefined where none is stated. */
  readonly wishes?: { readonly met: number; readonly stated: number };
}
