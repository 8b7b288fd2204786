/** Time, from outside. Ms since the epoch. */
export interface Clock {
  readonly nowMs: () => number;
  readonly sleepUntil: (atMs: number) => Promise<void>;
}
