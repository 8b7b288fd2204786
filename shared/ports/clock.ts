/** Time, from outside. Ms since the epoch. */
export interface Clock {
  readonly nowMs: () => number;
  /** For what must wait inside one call, as the pace of launches; a tick waits by the Cluster port, which knows what to wake for. */
  readonly sleepUntil: (atMs: number) => Promise<void>;
}
