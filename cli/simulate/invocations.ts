import { runInvocation } from "#controllers/invocation.ts";
import type { Brain, Ports } from "#controllers/ports.ts";
import { randomFrom } from "#core/random.ts";
import type { VirtualClock } from "#simulator/virtual-clock.ts";

const minuteMs = 60_000;

/**
 * Runs the reconcile function as it runs in the cloud: once a minute at a second that nobody chose, and when it is
 * woken; never two at a time, since a successor waits for its turn.
 */
export class Invocations<Query, View> {
  readonly #clock: VirtualClock;
  readonly #ports: Ports<Query, View>;
  readonly #brain: Brain<Query, View>;
  #running = false;
  #wanted = false;
  #count = 0;

  constructor(clock: VirtualClock, ports: Ports<Query, View>, brain: Brain<Query, View>) {
    this.#clock = clock;
    this.#ports = ports;
    this.#brain = brain;
  }

  /** How many there were so far. */
  get count(): number {
    return this.#count;
  }

  schedule(fromMs: number, untilMs: number): void {
    const random = randomFrom(this.#brain.seed + 2);
    for (let atMs = fromMs; atMs < untilMs; atMs += minuteMs) {
      this.#clock.at(atMs + Math.floor(random() * minuteMs), () => this.wake());
    }
  }

  wake(): void {
    if (this.#running) {
      this.#wanted = true;
      return;
    }
    this.#running = true;
    this.#clock.spawn(() => this.#run());
  }

  async #run(): Promise<void> {
    // Bounded by virtual time: each round takes some, and the run ends at its last minute.
    do {
      this.#wanted = false;
      this.#count++;
      await runInvocation(this.#ports, this.#brain);
    } while (this.#wanted);
    this.#running = false;
  }
}
