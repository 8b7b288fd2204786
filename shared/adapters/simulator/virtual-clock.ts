import type { Clock } from "#ports/clock.ts";

interface Due {
  readonly atMs: number;
  /** Breaks ties: first scheduled, first run. */
  readonly sequence: number;
  readonly action: () => void;
}

/** So many actions and turns at one instant are a loop that no time passes in. */
const stepsPerInstantMax = 1_000_000;

/**
 * Time that jumps to the next thing due. Simulated parts schedule plain actions; invocations are coroutines (`spawn`)
 * that may wait in several places at once. The clock moves only when all of them wait for it, so that a run is a
 * function of its seed.
 */
export class VirtualClock implements Clock {
  #nowMs: number;
  #sequence = 0;
  /** A coroutine was started or woken and may not have come to rest yet. */
  #stirred = false;
  /** Actions and turns since the clock last moved. */
  #steps = 0;
  readonly #queue: Due[] = [];
  #defect: { readonly error: unknown } | undefined;

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  readonly nowMs = (): number => this.#nowMs;

  /** Runs `action` at `atMs`, or at once in the queue's order when that is past. */
  at(atMs: number, action: () => void): void {
    const due = { atMs: Math.max(atMs, this.#nowMs), sequence: this.#sequence++, action };
    let low = 0;
    let high = this.#queue.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#queue[middle];
      if (other !== undefined && other.atMs <= due.atMs) low = middle + 1;
      else high = middle;
    }
    this.#queue.splice(low, 0, due);
  }

  after(delayMs: number, action: () => void): void {
    this.at(this.#nowMs + delayMs, action);
  }

  /** Starts a coroutine. It may wait only by this clock (`sleepUntil`, `suspend`) or for promises that need no time. */
  spawn(coroutine: () => Promise<void>): void {
    this.#stirred = true;
    coroutine().catch((error: unknown) => {
      this.#defect ??= { error };
    });
  }

  readonly sleepUntil = (atMs: number): Promise<void> =>
    this.suspend<void>((wake) => this.at(atMs, () => wake(undefined)));

  /** Sleeps until `wake` is called; later calls of it do nothing. */
  suspend<T>(register: (wake: (value: T) => void) => void): Promise<T> {
    return new Promise<T>((resolve) => {
      register((value) => {
        this.#stirred = true;
        resolve(value);
      });
    });
  }

  /** Runs everything due up to and including `untilMs`; then it is `untilMs`. Throws what a coroutine threw, and when no time passes. */
  async runUntil(untilMs: number): Promise<void> {
    await this.#settle();
    for (;;) {
      const next = this.#queue[0];
      if (next === undefined || next.atMs > untilMs) break;
      this.#queue.shift();
      if (next.atMs > this.#nowMs) this.#steps = 0;
      this.#nowMs = next.atMs;
      this.#step();
      next.action();
      await this.#settle();
    }
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }

  #step(): void {
    if (++this.#steps > stepsPerInstantMax) throw new Error(`the simulation stands still at ${this.#nowMs} ms`);
  }

  /** A turn of the event loop comes only after every promise that can go on has gone on. */
  async #settle(): Promise<void> {
    while (this.#stirred) {
      this.#stirred = false;
      this.#step();
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    if (this.#defect !== undefined) throw this.#defect.error;
  }
}
