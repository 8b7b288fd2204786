import type { KubeObject } from "#api/core-v1/meta.ts";
import type { Clock } from "#ports/clock.ts";
import { badRequest, expired, type Refusal } from "./answer.ts";

export interface Page<T = KubeObject> {
  readonly kind: "list";
  readonly items: readonly T[];
  /** The revision that all pages of this list show. */
  readonly resourceVersion: string;
  /** Hand it to the next call for the rest. */
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

interface Rest {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
  readonly untilMs: number;
}

/** etcd's compaction, five minutes: later the revision that a list began with cannot be read any more. */
const continueMs = 5 * 60_000;
/** Lists that were begun and not ended; the oldest is forgotten first. */
const restsMax = 100;

/** Lists in pages. All pages of a list show the revision of its first. */
export class Pager {
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #rests = new Map<string, Rest>();
  #sequence = 0;

  constructor(clock: Pick<Clock, "nowMs">) {
    this.#clock = clock;
  }

  first(items: readonly KubeObject[], limit: number | undefined, resourceVersion: string): Page {
    return this.#page(items, limit, resourceVersion);
  }

  /** 410 when the token is too old, 400 when it never was one. */
  next(token: string, limit: number | undefined): Page | Refusal {
    if (!/^page-\d+$/.test(token)) return badRequest("continue key is not valid");
    const rest = this.#rests.get(token);
    if (rest === undefined || rest.untilMs < this.#clock.nowMs()) {
      this.#rests.delete(token);
      return expired("the continue token is too old; list again from the start");
    }
    return this.#page(rest.items, limit, rest.resourceVersion);
  }

  /** Forgets every list in progress, as a compaction of etcd does. */
  compact(): void {
    this.#rests.clear();
  }

  #page(items: readonly KubeObject[], limit: number | undefined, resourceVersion: string): Page {
    if (limit === undefined || limit <= 0 || items.length <= limit) return { kind: "list", items, resourceVersion };
    const token = `page-${this.#sequence++}`;
    const rest = items.slice(limit);
    this.#rests.set(token, { items: rest, resourceVersion, untilMs: this.#clock.nowMs() + continueMs });
    const oldest = this.#rests.keys().next().value;
    if (this.#rests.size > restsMax && oldest !== undefined) this.#rests.delete(oldest);
    return {
      kind: "list",
      items: items.slice(0, limit),
      resourceVersion,
      continue: token,
      remainingItemCount: rest.length,
    };
  }
}
