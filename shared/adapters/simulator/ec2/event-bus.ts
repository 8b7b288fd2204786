import type { BusMessage } from "../machine.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import { type DelayRange, draw, drawDelayMs } from "./seeded-draw.ts";

/** How badly the bus may behave; EventBridge and SQS promise at-least-once delivery and no order. */
export interface BusManners {
  /** Chance that a message comes a second time. */
  readonly twice: number;
  /** Chance that a message is held back, and by how long, so that later ones overtake it. */
  readonly late: number;
  readonly lateMs: DelayRange;
}

export const goodManners: BusManners = { twice: 0, late: 0, lateMs: [0, 0] };
export const badManners: BusManners = { twice: 0.2, late: 0.2, lateMs: [5_000, 90_000] };

/** Delivers messages to every listener through the clock. */
export class EventBus {
  readonly #clock: VirtualClock;
  readonly #seed: number;
  readonly #deliveryMs: DelayRange;
  readonly #manners: BusManners;
  readonly #listeners: ((message: BusMessage) => void)[] = [];

  constructor(clock: VirtualClock, seed: number, deliveryMs: DelayRange, manners: BusManners) {
    this.#clock = clock;
    this.#seed = seed;
    this.#deliveryMs = deliveryMs;
    this.#manners = manners;
  }

  /** Registers `listener`; it is called once for each delivery, so perhaps twice for one message. */
  subscribe(listener: (message: BusMessage) => void): void {
    this.#listeners.push(listener);
  }

  publish(message: BusMessage): void {
    this.#deliver(message, "first");
    if (draw(this.#seed, `${message.id} twice`) < this.#manners.twice) this.#deliver(message, "second");
  }

  #deliver(message: BusMessage, time: "first" | "second"): void {
    const question = `${message.id} ${time}`;
    const usualMs = drawDelayMs(this.#seed, question, this.#deliveryMs);
    const isLate = draw(this.#seed, `${question} late`) < this.#manners.late;
    const lateMs = isLate ? drawDelayMs(this.#seed, `${question} lateness`, this.#manners.lateMs) : 0;
    this.#clock.after(usualMs + lateMs, () => {
      for (const listener of this.#listeners) listener(message);
    });
  }
}
