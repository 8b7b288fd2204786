import type { VirtualClock } from "../virtual-clock.ts";

/**
 * A controller's work queue: keys wait, each once, until the controller gets to them. Keys that are added together are
 * worked on together, in the order in which they were added.
 */
export class Workqueue {
  readonly #clock: VirtualClock;
  readonly #delayMs: number;
  readonly #reconcile: (key: string) => void;
  readonly #waiting = new Set<string>();
  #scheduled = false;

  constructor(clock: VirtualClock, delayMs: number, reconcile: (key: string) => void) {
    this.#clock = clock;
    this.#delayMs = delayMs;
    this.#reconcile = reconcile;
  }

  add(key: string): void {
    this.#waiting.add(key);
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#clock.after(this.#delayMs, () => this.#work());
  }

  addAfter(key: string, delayMs: number): void {
    this.#clock.after(delayMs, () => this.add(key));
  }

  #work(): void {
    this.#scheduled = false;
    const keys = [...this.#waiting];
    this.#waiting.clear();
    for (const key of keys) this.#reconcile(key);
  }
}
