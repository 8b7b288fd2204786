/** Pods that wait for a claim while a lane is packed anew. Karpenter counterpart: none; it keeps the packing that it finds first. */
import type { Breadth } from "../instance-types/flexibility.ts";
import type { ResourceVector } from "../resources/resource-vector.ts";
import type { Load } from "./bin-lane.ts";
import type { HostTally } from "./host-rules.ts";

/** As many of each kind, in order, as fit; or those first that ask most of what there is most of. */
export type FillingWay = "in order" | "evenly";

/** Of the times that a kind still fits, the share that is taken before another kind may fit better. */
const portion = 0.25;

/** Kinds by their place in the order. */
export class Waiting {
  readonly #order: readonly Load[];
  readonly #tally: HostTally;
  readonly #width: number;
  /** Of kind i from i × width on. */
  readonly #requests: Float64Array;
  readonly #left: Int32Array;
  /** Before this place nobody is left. */
  #first = 0;
  /** Of the filling that is tried, and of the one that was kept. */
  #counts: Int32Array;
  #kept: Int32Array;
  /** 1: no more of the kind comes to the filling that is tried. */
  readonly #closed: Uint8Array;
  readonly #weights: Float64Array;

  constructor(order: readonly Load[], tally: HostTally) {
    this.#order = order;
    this.#tally = tally;
    this.#width = order[0]?.kind.step.requests.length ?? 0;
    this.#requests = new Float64Array(order.length * this.#width);
    this.#left = new Int32Array(order.length);
    for (const [i, { kind, count }] of order.entries()) {
      this.#requests.set(kind.step.requests, i * this.#width);
      this.#left[i] = count;
    }
    this.#counts = new Int32Array(order.length);
    this.#kept = new Int32Array(order.length);
    this.#closed = new Uint8Array(order.length);
    this.#weights = new Float64Array(this.#width);
  }

  get none(): boolean {
    return this.#first === this.#order.length;
  }

  get firstRequest(): ResourceVector {
    return this.#order[this.#first]?.kind.step.requests ?? this.#weights;
  }

  /** Tries a machine with that room; `used` becomes what its pods take. */
  fill(room: ResourceVector, used: ResourceVector, way: FillingWay): void {
    used.fill(0);
    this.#counts.fill(0);
    this.#closed.fill(0);
    this.#tally.clear();
    if (way === "evenly") this.#fillEvenly(room, used);
    else for (let i = this.#first; i < this.#order.length; i++) this.#put(i, this.#fitting(i, room, used), used);
  }

  /** The filling that was tried last is the best one. */
  keep(): void {
    [this.#counts, this.#kept] = [this.#kept, this.#counts];
  }

  /** The types that one of the pods of the filling had at most, the zones that one had at least. */
  breadthAsked(): Breadth {
    let [types, zones] = [0, Infinity];
    for (let i = this.#first; i < this.#order.length; i++) {
      const kind = this.#order[i]?.kind;
      if (kind === undefined || this.#counts[i] === 0) continue;
      types = Math.max(types, kind.types);
      zones = Math.min(zones, kind.zones);
    }
    return { types, zones };
  }

  /** The pods of the filling that was kept wait no longer. */
  take(): readonly Load[] {
    const loads: Load[] = [];
    for (let i = this.#first; i < this.#order.length; i++) {
      const [kind, count] = [this.#order[i]?.kind, this.#kept[i] ?? 0];
      if (kind === undefined || count === 0) continue;
      loads.push({ kind, count });
      this.#left[i] = (this.#left[i] ?? 0) - count;
    }
    while (this.#first < this.#order.length && this.#left[this.#first] === 0) this.#first++;
    return loads;
  }

  /** So that no resource runs out while much of another is left. */
  #fillEvenly(room: ResourceVector, used: ResourceVector): void {
    // Each round adds a pod, or closes a kind, or is the last.
    for (;;) {
      const next = this.#largest(room, used);
      if (next < 0) return;
      const fitting = this.#fitting(next, room, used);
      if (fitting === 0) this.#closed[next] = 1;
      else this.#put(next, Math.max(1, Math.floor(fitting * portion)), used);
    }
  }

  /** The kind that asks the largest share, weighed with what is free of each resource; -1: all are closed. */
  #largest(room: ResourceVector, used: ResourceVector): number {
    const width = this.#width;
    const [weights, requests] = [this.#weights, this.#requests];
    for (let d = 0; d < width; d++) {
      const all = room[d] ?? 0;
      weights[d] = all > 0 ? (all - (used[d] ?? 0)) / (all * all) : 0;
    }
    let [next, most] = [-1, 0];
    for (let i = this.#first; i < this.#order.length; i++) {
      if (this.#closed[i] === 1) continue;
      let share = 0;
      for (let d = 0, at = i * width; d < width; d++, at++) share += (requests[at] ?? 0) * (weights[d] ?? 0);
      if (share > most) [next, most] = [i, share];
    }
    return next;
  }

  /** How many more of the kind. */
  #fitting(place: number, room: ResourceVector, used: ResourceVector): number {
    const host = this.#order[place]?.kind.host;
    let times = (this.#left[place] ?? 0) - (this.#counts[place] ?? 0);
    if (times > 0 && host !== undefined) times = Math.min(times, this.#tally.room(host));
    for (let d = 0, at = place * this.#width; d < this.#width && times > 0; d++, at++) {
      const amount = this.#requests[at] ?? 0;
      if (amount > 0) times = Math.min(times, Math.floor(((room[d] ?? 0) - (used[d] ?? 0)) / amount));
    }
    return Math.max(0, times);
  }

  #put(place: number, count: number, used: ResourceVector): void {
    if (count === 0) return;
    const host = this.#order[place]?.kind.host;
    this.#counts[place] = (this.#counts[place] ?? 0) + count;
    for (let d = 0, at = place * this.#width; d < this.#width; d++, at++) {
      used[d] = (used[d] ?? 0) + count * (this.#requests[at] ?? 0);
    }
    if (host !== undefined) this.#tally.add(host, count);
  }
}
