/** Karpenter counterpart: none; its caches have one lifetime. Here what fails again soon after its pause rests longer. */

/** In the state's texts: `<until ms> <for ms>`. */
export interface GrowingPause {
  readonly untilMs: number;
  /** How long it lasts; the next one is twice as long when it follows within the same time. */
  readonly forMs: number;
}

export function readPause(text: string | undefined): GrowingPause | undefined {
  const match = /^(\d{1,16}) (\d{1,16})$/.exec(text ?? "");
  return match === null ? undefined : { untilMs: Number(match[1]), forMs: Number(match[2]) };
}

/** The text of the pause that begins now. */
export function nextPause(
  text: string | undefined,
  bounds: { firstMs: number; longestMs: number },
  nowMs: number,
): string {
  const before = readPause(text);
  const again = before !== undefined && nowMs < before.untilMs + before.forMs;
  const forMs = again ? Math.min(before.forMs * 2, bounds.longestMs) : bounds.firstMs;
  return `${nowMs + forMs} ${forMs}`;
}
