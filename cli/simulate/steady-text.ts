import type { EntryKind } from "./timeline-entry.ts";

/** A message without what changes in it from tick to tick while it says the same: figures, and whom a drain waits for. */
export function steadyText(kind: EntryKind, message: string): string {
  const whole = kind === "drain" ? message.replace(/( until |: ).*/, "") : message;
  return whole.replace(/\d+([.]\d+)?/g, "#");
}
