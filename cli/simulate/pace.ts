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

/** Lets a person see a frame that took `spentMs` of real time to make. */
export async function hold(terminal: Terminal, spentMs: number): Promise<void> {
  if (terminal.live && spentMs < frameMs) await terminal.pause(frameMs - spentMs);
}
