import type { Clock } from "#ports/clock.ts";

/** Answers kept at most; a question is a selector of a node class. */
const answersMax = 500;

/** Whole answers, kept for a while, so that an invocation that looks each second does not ask EC2 each second. */
export class ReadCache {
  readonly #clock: Clock;
  readonly #answers = new Map<string, { readonly answer: unknown; readonly untilMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The kept answer to `question`, or `ask()`'s, which is kept for `keptMs`. What `ask` throws is thrown, and not kept. */
  async get<Answer>(question: string, keptMs: number, ask: () => Promise<Answer>): Promise<Answer> {
    const kept = this.#answers.get(question);
    // Only this question's own `ask` put an answer there.
    if (kept !== undefined && kept.untilMs > this.#clock.nowMs()) return kept.answer as Answer;
    const answer = await ask();
    this.#answers.delete(question);
    const oldest = this.#answers.keys().next();
    if (this.#answers.size >= answersMax && oldest.done !== true) this.#answers.delete(oldest.value);
    this.#answers.set(question, { answer, untilMs: this.#clock.nowMs() + keptMs });
    return answer;
  }

  forget(question: string): void {
    this.#answers.delete(question);
  }
}
