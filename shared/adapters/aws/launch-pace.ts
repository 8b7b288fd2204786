import type { Clock } from "#ports/clock.ts";

/** EC2 fills its bucket of mutating calls by five a second; twenty at once are safe in an account with other users. */
const perSecondMax = 5;
const perSecondLeast = 0.25;
const burst = 20;
/** After so long without a refusal the pace doubles again. */
const recoveryMs = 30_000;
/** Refusals this close together are of one burst: its calls were under way before the first one slowed us. */
const episodeMs = 2_000;

/**
 * A queue before CreateFleet: calls go in the order in which they came, five a second after a burst of twenty, half as
 * fast after each burst of refusals by EC2's rate limit.
 */
export class LaunchPace {
  readonly #clock: Clock;
  #perSecond = perSecondMax;
  #tokens = burst;
  #filledAtMs: number;
  #changedAtMs: number;
  #halvedAtMs = Number.NEGATIVE_INFINITY;
  #last: Promise<void> = Promise.resolve();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#filledAtMs = clock.nowMs();
    this.#changedAtMs = this.#filledAtMs;
  }

  /** Resolves when it is this caller's turn. */
  turn(): Promise<void> {
    const mine = this.#last.then(() => this.#take());
    this.#last = mine;
    return mine;
  }

  throttled(): void {
    this.#fill();
    this.#tokens = Math.min(this.#tokens, 0);
    const nowMs = this.#clock.nowMs();
    if (nowMs >= this.#halvedAtMs + episodeMs) {
      this.#perSecond = Math.max(this.#perSecond / 2, perSecondLeast);
      this.#halvedAtMs = nowMs;
    }
    this.#changedAtMs = nowMs;
  }

  async #take(): Promise<void> {
    this.#recover();
    this.#fill();
    if (this.#tokens < 1) {
      const waitMs = Math.ceil(((1 - this.#tokens) / this.#perSecond) * 1000);
      await this.#clock.sleepUntil(this.#clock.nowMs() + waitMs);
      this.#fill();
    }
    this.#tokens -= 1;
  }

  #recover(): void {
    const nowMs = this.#clock.nowMs();
    if (this.#perSecond === perSecondMax || nowMs - this.#changedAtMs < recoveryMs) return;
    this.#perSecond = Math.min(this.#perSecond * 2, perSecondMax);
    this.#changedAtMs = nowMs;
  }

  #fill(): void {
    const nowMs = this.#clock.nowMs();
    this.#tokens = Math.min(burst, this.#tokens + ((nowMs - this.#filledAtMs) / 1000) * this.#perSecond);
    this.#filledAtMs = nowMs;
  }
}
