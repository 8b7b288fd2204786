import type { VirtualClock } from "../virtual-clock.ts";
import { draw } from "./seeded-draw.ts";

/** EC2: from the warning to the end. */
export const warningMs = 120_000;
/** How long a pool that took an instance back has none to give. */
export const reclaimedPoolMs = 600_000;
/** A rebalance recommendation comes up to so long before the warning. */
const rebalanceLeadMsMax = 300_000;

export interface Interruptible {
  readonly id: string;
  readonly capacityType: string;
}

/** What the market does to an instance; both are told to whoever owns it, and do nothing to one that is gone. */
export interface SpotActions {
  readonly recommendRebalance: (instanceId: string) => void;
  readonly interrupt: (instanceId: string) => void;
}

/** Seeded interruptions: each spot instance lives for an exponentially distributed time. */
export class SpotMarket {
  readonly #clock: VirtualClock;
  readonly #seed: number;
  readonly #perHour: number;
  readonly #actions: SpotActions;

  constructor(clock: VirtualClock, seed: number, interruptionsPerHour: number, actions: SpotActions) {
    this.#clock = clock;
    this.#seed = seed;
    this.#perHour = interruptionsPerHour;
    this.#actions = actions;
  }

  launched(instance: Interruptible): void {
    if (instance.capacityType !== "spot" || this.#perHour <= 0) return;
    const { id } = instance;
    const livesMs = (-Math.log(1 - draw(this.#seed, `${id} spot life`)) / this.#perHour) * 3_600_000;
    const warnedAtMs = this.#clock.nowMs() + Math.round(livesMs);
    const leadMs = Math.round(draw(this.#seed, `${id} rebalance`) * Math.min(rebalanceLeadMsMax, livesMs));
    this.#clock.at(warnedAtMs - leadMs, () => this.#actions.recommendRebalance(id));
    this.#clock.at(warnedAtMs, () => this.#actions.interrupt(id));
  }
}
