import type { Terminal } from "../terminal.ts";

/** What a person watches: about so long in all, ms, in frames of so long. */
const watchedMs = 5_000;
const frameMs = 50;
/** Where nobody watches, output comes in pieces of this much virtual time; a run ends at the end of one. */
export const pieceMs = 10_000;

/**
 * The virtual moments at which to show what happened: from `startMs` (exclusive) to `endMs` (inclusive). For a watcher
 * they are so dense that `expectedMs` take about five seconds; every piece's end is among them, or every so-many-th, so
 * that a run is the same watched or not.
 */
export function* frames(startMs: number, endMs: number, expectedMs: number, live: boolean): Generator<number> {
  const wantedMs = expectedMs / (watchedMs / frameMs);
  const stepMs = !live
    ? pieceMs
    : wantedMs > pieceMs
      ? Math.round(wantedMs / pieceMs) * pieceMs
      : pieceMs / Math.ceil(pieceMs / wantedMs);
  for (let step = 1; startMs + step * stepMs < endMs; step++) yield Math.round(startMs + step * stepMs);
  yield endMs;
}

/** Keeps a watched run in step with real time: frames that took long to make are made good by the ones after them. */
export class Pace {
  readonly #terminal: Terminal;
  readonly #realMs: () => number;
  #dueMs: number;

  constructor(terminal: Terminal, realMs: () => number = () => performance.now()) {
    this.#terminal = terminal;
    this.#realMs = realMs;
    this.#dueMs = realMs();
  }

  /** Waits until the frame just made has stood for its time. */
  async hold(): Promise<void> {
    this.#dueMs += frameMs;
    const aheadMs = this.#dueMs - this.#realMs();
    if (this.#terminal.live && aheadMs > 0) await this.#terminal.pause(aheadMs);
  }
}
