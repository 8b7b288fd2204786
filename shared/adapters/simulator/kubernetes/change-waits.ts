import type { KubeObject } from "#api/core-v1/meta.ts";
import type { ChangesOf, Woken } from "#ports/cluster.ts";
import { HeardChanges } from "#ports/heard-changes.ts";
import type { VirtualClock } from "../virtual-clock.ts";

/** What has changed since the last look, and one wait for it at a time, on a virtual clock. */
export class ChangeWaits {
  readonly #clock: VirtualClock;
  readonly #heard = new HeardChanges();
  #wake: (() => void) | undefined;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  /** As `HeardChanges`. */
  hear(object: KubeObject | undefined): void {
    this.#heard.hear(object);
    this.#wake?.();
  }

  look(): void {
    this.#heard.look();
  }

  async nextChange(deadlineMs: number, of: ChangesOf = "anything"): Promise<Woken> {
    const woken = this.#heard.take(of);
    if (woken !== undefined) return woken;
    const later = await this.#clock.suspend<Woken>((wake) => {
      this.#wake = () => {
        const now = this.#heard.take(of);
        if (now === undefined) return;
        // What is heard before the sleeper runs again is the next wait's.
        this.#wake = undefined;
        wake(now);
      };
      this.#clock.at(deadlineMs, () => wake("deadline"));
    });
    this.#wake = undefined;
    return later;
  }
}
