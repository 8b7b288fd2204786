import { objectName } from "#core/object-ref.ts";
import type { Reason } from "#core/reason.ts";
import { steadyText } from "./steady-text.ts";
import { kindOf } from "./tick-happenings.ts";
import { standing } from "./timeline.ts";

/** What was not said for so long, ms of virtual time, has ended meanwhile; evictions are tried again sooner. */
const forgottenAfterMs = 10 * 60_000;

interface Said {
  readonly texts: ReadonlySet<string>;
  readonly atMs: number;
}

/**
 * What every tick says anew of an object while it holds, as "not evicted", is news once: when it was not among what the
 * last tick that spoke of it said. Figures in it change without being news.
 */
export class News {
  readonly #said = new Map<string, Said>();

  hear(reasons: readonly Reason[], atMs: number): readonly Reason[] {
    const now = new Map<string, Set<string>>();
    const news = reasons.filter((reason) => {
      const kind = kindOf(reason);
      if (kind === undefined || !(standing.has(kind) || kind === "eviction")) return true;
      const subject = `${reason.about.kind} ${objectName(reason.about)} ${reason.code}`;
      const text = steadyText(kind, reason.message);
      const texts = now.get(subject) ?? new Set<string>();
      now.set(subject, texts.add(text));
      const before = this.#said.get(subject);
      return before === undefined || before.atMs + forgottenAfterMs < atMs || !before.texts.has(text);
    });
    for (const [subject, texts] of now) this.#said.set(subject, { texts, atMs });
    return news;
  }
}
