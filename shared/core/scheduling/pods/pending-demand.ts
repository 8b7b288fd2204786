/**
 * What all pods without a place ask for: who may come to fill a dearer type. Karpenter counterpart: none; it looks at each
 * pod by itself.
 */
import { addTo, type ResourceVector } from "../resources/resource-vector.ts";
import type { Strategy } from "../strategy.ts";

export class PendingDemand {
  readonly #counts: Strategy["demand"];
  readonly #waiting: ResourceVector;

  /** `counts`: who is reckoned with; `width`: of the requests. */
  constructor(counts: Strategy["demand"], width: number) {
    this.#counts = counts;
    this.#waiting = new Float64Array(width);
  }

  /** `times` may be negative: so many have a place. */
  expect(requests: ResourceVector, times: number): void {
    if (this.#counts === "all") addTo(this.#waiting, requests, times);
  }

  /** Such pods that could be made of all that still waits, at least those of the class itself. */
  timesOf(requests: ResourceVector, own: number): number {
    if (this.#counts !== "all") return this.#counts === "class" ? own : 1;
    let times = Infinity;
    for (let d = 0; d < requests.length; d++) {
      const amount = requests[d] ?? 0;
      if (amount > 0) times = Math.min(times, (this.#waiting[d] ?? 0) / amount);
    }
    return Math.max(own, Math.floor(times));
  }
}
