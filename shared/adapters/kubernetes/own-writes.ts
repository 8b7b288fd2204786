import type { Written } from "./command-writer.ts";
import type { FeedChange } from "./resource-feed.ts";

/**
 * Tells changes by others from those that our own writes make: a tick folds its own outcomes into what it sees, and
 * would otherwise wake itself for ever. A watch may tell of a write before the write is answered; such a change is held
 * until the answer says whether it was ours.
 */
export class OwnWrites {
  readonly #wake: (change: FeedChange) => void;
  readonly #underWay = new Map<string, { writes: number; held: FeedChange[] }>();

  constructor(wake: (change: FeedChange) => void) {
    this.#wake = wake;
  }

  hear(change: FeedChange): void {
    const held = this.#underWay.get(placeOf(change.resource.kind, change.key))?.held;
    if (held === undefined) this.#wake(change);
    else held.push(change);
  }

  /** A write to this object begins; call the answer with what became of it. */
  begin(kind: string, key: string): (result: Written["kind"], resourceVersion: string | undefined) => void {
    const place = placeOf(kind, key);
    const entry = this.#underWay.get(place) ?? { writes: 0, held: [] };
    entry.writes++;
    this.#underWay.set(place, entry);
    return (result, resourceVersion) => {
      entry.writes--;
      entry.held = entry.held.filter((change) => !isOurs(change, result, resourceVersion));
      if (entry.writes > 0) return;
      this.#underWay.delete(place);
      for (const change of entry.held) this.#wake(change);
    };
  }
}

function isOurs(change: FeedChange, result: Written["kind"], resourceVersion: string | undefined): boolean {
  return change.type === "DELETED" ? result === "gone" : change.resourceVersion === resourceVersion;
}

function placeOf(kind: string, key: string): string {
  return `${kind} ${key}`;
}
