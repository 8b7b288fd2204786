import { nextTickMs, runInvocation } from "#controllers/invocation.ts";
import type { Configuration, Ports } from "#controllers/ports.ts";
import { reconcile } from "#controllers/reconcile.ts";
import { tickTimes } from "#simulator/tick-schedule.ts";
import type { VirtualClock } from "#simulator/virtual-clock.ts";

/** Ports of a process that has just started. `close` ends the process. */
export interface Process<Query, View> {
  readonly ports: Ports<Query, View>;
  readonly close: () => void;
}

export interface InvocationOptions {
  /** Every tick in a process of its own, which knows nothing of the one before: nothing may depend on memory. */
  readonly processPerTick?: boolean;
}

/**
 * Runs the reconcile function as it runs in the cloud: about once a minute at a second that nobody chose, and when it is
 * woken; never two at a time, since a successor waits for its turn.
 */
export class Invocations<Query, View> {
  readonly #clock: VirtualClock;
  readonly #start: () => Process<Query, View>;
  readonly #configuration: Configuration<Query, View>;
  readonly #options: InvocationOptions;
  #running = false;
  #wanted = false;

  constructor(
    clock: VirtualClock,
    start: () => Process<Query, View>,
    configuration: Configuration<Query, View>,
    options: InvocationOptions = {},
  ) {
    this.#clock = clock;
    this.#start = start;
    this.#configuration = configuration;
    this.#options = options;
  }

  schedule(fromMs: number, untilMs: number): void {
    for (const atMs of tickTimes(this.#configuration.seed + 2, fromMs, untilMs)) {
      this.#clock.at(atMs, () => this.wake());
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
      await (this.#options.processPerTick === true ? this.#ticksApart() : this.#invocation());
    } while (this.#wanted);
    this.#running = false;
  }

  async #invocation(): Promise<void> {
    const { ports, close } = this.#start();
    await runInvocation(ports, this.#configuration);
    close();
  }

  /** As an invocation that died after each tick and was started again when the next one was due. */
  async #ticksApart(): Promise<void> {
    for (let dueMs: number | undefined = this.#clock.nowMs(); dueMs !== undefined; ) {
      await this.#clock.sleepUntil(dueMs);
      const { ports, close } = this.#start();
      dueMs = nextTickMs(await reconcile(ports, this.#configuration), this.#clock.nowMs());
      close();
    }
  }
}
