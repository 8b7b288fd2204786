/**
 * Packs the pods of a few claims of one lane anew: one claim after the other, each the machine and the filling that give
 * the most worth for the money. Karpenter counterpart: none; it keeps the packing that it finds first.
 */
import { addTo, type ResourceVector } from "../resource-vector.ts";
import { type Bin, binOf, isAllowed } from "./bin.ts";
import type { BinLane, Kind, Load } from "./bin-lane.ts";
import type { Dice } from "./dice.ts";
import type { HostTally } from "./host-rules.ts";
import { dot } from "./worths.ts";

/** Machines that are tried for each claim. */
const machinesTried = 12;
const tolerance = 1e-9;

/** Bins for all that is in `old`, cheaper ones; undefined: none were found. */
export function repacked(lane: BinLane, old: readonly Bin[], tally: HostTally, dice: Dice): readonly Bin[] | undefined {
  const order = shakenOrder(lane, old, dice);
  const left = order.map(({ count }) => count);
  const [priceMost, costMost] = [total(old, ({ price }) => price), total(old, ({ cost }) => cost)];
  let worthLeft = total(old, ({ worth }) => worth);
  let cost = 0;
  const bins: Bin[] = [];
  const packing = new Packing(lane, order, left, tally, dice);
  // Each round places a pod. What is left costs no less than it is worth.
  while (worthLeft > tolerance && cost + worthLeft < costMost - tolerance) {
    const bin = packing.bestBin();
    if (bin === undefined) return undefined;
    packing.take(bin);
    worthLeft -= bin.worth;
    cost += bin.cost;
    bins.push(bin);
  }
  const isWhole = left.every((count) => count === 0);
  const isCheaper = cost < costMost - tolerance && total(bins, ({ price }) => price) <= priceMost + tolerance;
  return isWhole && isCheaper && bins.every((bin) => isAllowed(bin, tally)) ? bins : undefined;
}

/** The kinds in one list, the worthiest first, shaken a little so that another try finds another packing. */
function shakenOrder({ worths }: BinLane, bins: readonly Bin[], dice: Dice): readonly Load[] {
  const counts = new Map<Kind, number>();
  for (const { loads } of bins) for (const { kind, count } of loads) counts.set(kind, (counts.get(kind) ?? 0) + count);
  const shake = dice.below(4) * 0.2;
  return [...counts]
    .map(([kind, count]) => ({
      kind,
      count,
      rank: dot(worths, kind.step.requests) * (1 + shake * (dice.share() - 0.5)),
    }))
    .sort((a, b) => b.rank - a.rank);
}

class Packing {
  readonly #lane: BinLane;
  readonly #order: readonly Load[];
  /** By place in the order. */
  readonly #left: number[];
  readonly #tally: HostTally;
  readonly #dice: Dice;

  constructor(lane: BinLane, order: readonly Load[], left: number[], tally: HostTally, dice: Dice) {
    this.#lane = lane;
    this.#order = order;
    this.#left = left;
    this.#tally = tally;
    this.#dice = dice;
  }

  take({ loads }: Bin): void {
    for (const { kind, count } of loads) {
      const at = this.#order.findIndex((load) => load.kind === kind);
      this.#left[at] = (this.#left[at] ?? 0) - count;
    }
  }

  bestBin(): Bin | undefined {
    const { profile } = this.#lane;
    const first = this.#order.find((_, i) => (this.#left[i] ?? 0) > 0)?.kind.step.requests;
    const lowest = first === undefined ? -1 : profile.rankFor(new Float64Array(first.length), first, 0);
    if (lowest < 0) return undefined;
    const ranks = profile.rooms.length - lowest;
    let best: Bin | undefined;
    for (let i = 0; i < Math.min(ranks, machinesTried); i++) {
      const room = profile.rooms[lowest + (ranks <= machinesTried ? i : this.#dice.below(ranks))];
      const bin = room === undefined ? undefined : this.#filled(room);
      if (bin !== undefined && (best === undefined || bin.cost * best.worth < best.cost * bin.worth)) best = bin;
    }
    return best;
  }

  #filled(room: ResourceVector): Bin | undefined {
    const used = new Float64Array(room.length);
    const loads: Load[] = [];
    this.#tally.clear();
    for (const [i, { kind }] of this.#order.entries()) {
      const most = this.#mostOf(kind, this.#left[i] ?? 0);
      const count = most === 0 ? 0 : timesBeside(room, used, kind.step.requests, most);
      if (count === 0) continue;
      addTo(used, kind.step.requests, count);
      if (kind.host !== undefined) this.#tally.add(kind.host, count);
      loads.push({ kind, count });
    }
    return loads.length === 0 ? undefined : binOf(loads, used, this.#lane);
  }

  #mostOf({ host }: Kind, waiting: number): number {
    return host === undefined || waiting === 0 ? waiting : Math.min(waiting, this.#tally.room(host));
  }
}

function timesBeside(room: ResourceVector, used: ResourceVector, request: ResourceVector, limit: number): number {
  let times = limit;
  for (let d = 0; d < request.length; d++) {
    const amount = request[d] ?? 0;
    if (amount > 0) times = Math.min(times, Math.floor(((room[d] ?? 0) - (used[d] ?? 0)) / amount));
  }
  return Math.max(0, times);
}

function total(bins: readonly Bin[], of: (bin: Bin) => number): number {
  return bins.reduce((sum, bin) => sum + of(bin), 0);
}
