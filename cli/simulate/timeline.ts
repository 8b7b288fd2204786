import { formatTime } from "#api/time.ts";
import { steadyText } from "./steady-text.ts";
import type { EntryKind, Happening, TimelineEntry } from "./timeline-entry.ts";

/** A run that says more than this says nothing; the rest is counted. */
const entriesMax = 100_000;

/** What every tick says anew while it holds; figures in it grow without being news. */
export const standing: ReadonlySet<EntryKind> = new Set(["waiting", "placed", "kept", "trouble", "drain"]);

/** What happened, in order. A tick repeats what still holds; a timeline tells it once. */
export class Timeline {
  readonly #startMs: number;
  readonly #entries: TimelineEntry[] = [];
  /** The last text by kind and object. */
  readonly #last = new Map<string, string>();
  #leftOut = 0;

  constructor(startMs: number) {
    this.#startMs = startMs;
  }

  get entries(): readonly TimelineEntry[] {
    return this.#entries;
  }

  /** How many happenings found no room. */
  get leftOut(): number {
    return this.#leftOut;
  }

  add(atMs: number, happenings: readonly Happening[]): void {
    for (const happening of happenings) {
      if (this.#isRepeated(happening)) continue;
      if (this.#entries.length >= entriesMax) this.#leftOut++;
      else this.#entries.push({ time: formatTime(atMs), second: (atMs - this.#startMs) / 1000, ...happening });
    }
  }

  #isRepeated({ kind, object, message }: Happening): boolean {
    const text = standing.has(kind) ? steadyText(kind, message) : message;
    const subject = `${kind} ${object ?? (standing.has(kind) ? text : "")}`;
    if (this.#last.get(subject) === text) return true;
    this.#last.set(subject, text);
    return false;
  }
}
