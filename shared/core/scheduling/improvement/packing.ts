/**
 * Fills one claim after the other with pods that wait: each time the machine and the filling that give the most worth for
 * the money. Karpenter counterpart: none; it keeps the packing that it finds first.
 */
import type { ResourceVector } from "../resources/resource-vector.ts";
import type { Bench } from "./bench.ts";
import { type Bin, binOf, cheapestRank, costAt, isBroad, roundings } from "./bin.ts";
import type { BinLane, Load } from "./bin-lane.ts";
import { type FillingWay, Waiting } from "./waiting.ts";
import { dot } from "./worths.ts";

/** How a machine is filled: always so, or in a way that is drawn for each machine. */
export type PackingWay = FillingWay | "drawn";

interface Best {
  readonly rank: number;
  readonly cost: number;
  readonly worth: number;
}

export class Packing {
  readonly #lane: BinLane;
  readonly #bench: Bench;
  readonly #way: PackingWay;
  readonly #waiting: Waiting;
  #worthLeft = 0;

  /** `order`: who is asked first. */
  constructor(lane: BinLane, order: readonly Load[], bench: Bench, way: PackingWay) {
    this.#lane = lane;
    this.#bench = bench;
    this.#way = way;
    this.#waiting = new Waiting(order, bench.tally);
    for (const { kind, count } of order) this.#worthLeft += count * dot(lane.worths, kind.step.requests);
  }

  get isDone(): boolean {
    return this.#waiting.none;
  }

  /** What the pods that are left cost at least. */
  get worthLeft(): number {
    return this.#worthLeft;
  }

  /** The best filling; its pods are no longer left. `machines`: so many are tried. Undefined: none is allowed. */
  next(machines: number): Bin | undefined {
    const { profile, byValue } = this.#lane;
    const [used, bestUsed] = this.#bench.vectors;
    const lowest = profile.rankFor(used.fill(0), this.#waiting.firstRequest, 0);
    let best: Best | undefined;
    let tried = 0;
    for (let i = 0; i < byValue.length && tried < machines; i++) {
      const machine = byValue[i] ?? 0;
      if (machine < lowest || lowest < 0) continue;
      const most = this.#lane.values[machine] ?? 0;
      // Even full it would be no better, nor would those after it.
      if (!this.#isBetter(machine, most, best)) break;
      if (!this.#isBetter(machine, Math.min(most, this.#worthLeft), best)) continue;
      tried++;
      const better = this.#tried(machine, used, best);
      if (better === undefined) continue;
      best = better;
      bestUsed.set(used);
      this.#waiting.keep();
    }
    return best === undefined ? undefined : this.#taken(best.rank, bestUsed.slice());
  }

  #isBetter(rank: number, worth: number, best: Best | undefined): boolean {
    return best === undefined || worth * best.cost > best.worth * costAt(this.#lane, rank) + roundings;
  }

  /** Undefined: not better, or against a rule. */
  #tried(machine: number, used: ResourceVector, best: Best | undefined): Best | undefined {
    const { profile, worths } = this.#lane;
    const drawn = this.#bench.dice.below(2) === 0 ? "in order" : "evenly";
    this.#waiting.fill(profile.rooms[machine] ?? used, used, this.#way === "drawn" ? drawn : this.#way);
    const worth = dot(worths, used);
    const rank = cheapestRank(this.#lane, used);
    if (worth <= 0 || rank < 0 || !this.#isBetter(rank, worth, best)) return undefined;
    if (!isBroad(this.#lane, rank, used, this.#waiting.breadthAsked())) return undefined;
    return { rank, cost: costAt(this.#lane, rank), worth };
  }

  #taken(rank: number, used: ResourceVector): Bin {
    const bin = binOf({ lane: this.#lane, loads: this.#waiting.take(), used, rank });
    this.#worthLeft -= bin.worth;
    return bin;
  }
}
