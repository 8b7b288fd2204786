import type { Pod } from "#api/core-v1/pod.ts";
import type { VirtualClock } from "../../virtual-clock.ts";
import type { Delays } from "../delays.ts";

interface Waiting {
  readonly attempts: number;
  /** Not tried again before. */
  readonly untilMs: number;
}

/**
 * Pods that want a node. A pod that found none rests, longer after each attempt, until something changes that might help
 * it; after five minutes it is tried anyway.
 */
export class SchedulingQueue {
  readonly #clock: VirtualClock;
  readonly #delays: Delays;
  readonly #wake: () => void;
  readonly #active = new Set<string>();
  readonly #resting = new Map<string, Waiting>();
  #moved = false;
  #wakingAtMs = Number.POSITIVE_INFINITY;

  constructor(clock: VirtualClock, delays: Delays, wake: () => void) {
    this.#clock = clock;
    this.#delays = delays;
    this.#wake = wake;
  }

  add(key: string): void {
    this.#active.add(key);
    this.#wakeAt(this.#clock.nowMs() + this.#delays.schedulerMs);
  }

  remove(key: string): void {
    this.#active.delete(key);
    this.#resting.delete(key);
  }

  failed(key: string): void {
    const attempts = (this.#resting.get(key)?.attempts ?? 0) + 1;
    const { schedulerBackoffMs, schedulerBackoffMsMax, unschedulableFlushMs } = this.#delays;
    const backoffMs = Math.min(schedulerBackoffMsMax, schedulerBackoffMs * 2 ** Math.min(attempts - 1, 20));
    this.#active.delete(key);
    this.#resting.set(key, { attempts, untilMs: this.#clock.nowMs() + backoffMs });
    if (this.#resting.size === 1) this.#clock.after(unschedulableFlushMs, () => this.#flush());
  }

  /** Something changed that may help resting pods. */
  moveAll(): void {
    if (this.#resting.size === 0) return;
    this.#moved = true;
    this.#wakeAt(this.#clock.nowMs() + this.#delays.schedulerMs);
  }

  /** The pods to try now: highest priority first, then oldest, then by key. */
  take(podOf: (key: string) => Pod | undefined): readonly string[] {
    this.#wakingAtMs = Number.POSITIVE_INFINITY;
    if (this.#moved) this.#activateRested();
    const keys = [...this.#active].map((key) => ({ key, pod: podOf(key) }));
    this.#active.clear();
    keys.sort(
      (a, b) =>
        (b.pod?.spec.priority ?? 0) - (a.pod?.spec.priority ?? 0) ||
        compare(a.pod?.metadata.creationTimestamp ?? "", b.pod?.metadata.creationTimestamp ?? "") ||
        compare(a.key, b.key),
    );
    return keys.map(({ key }) => key);
  }

  #activateRested(): void {
    const nowMs = this.#clock.nowMs();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const [key, { untilMs }] of this.#resting) {
      if (untilMs <= nowMs) this.#active.add(key);
      else nextMs = Math.min(nextMs, untilMs);
    }
    this.#moved = nextMs !== Number.POSITIVE_INFINITY;
    if (this.#moved) this.#wakeAt(nextMs);
  }

  #flush(): void {
    if (this.#resting.size === 0) return;
    this.moveAll();
    this.#clock.after(this.#delays.unschedulableFlushMs, () => this.#flush());
  }

  #wakeAt(atMs: number): void {
    if (atMs >= this.#wakingAtMs) return;
    this.#wakingAtMs = atMs;
    this.#clock.at(atMs, () => {
      if (this.#wakingAtMs === atMs) this.#wake();
    });
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
