/**
 * What a claim may be launched as, made for one question: what is the cheapest type with room for so much? Karpenter
 * counterpart: none; it filters and sorts all types for every pod.
 */

import { type ResourceVector, timesFitting } from "../resources/resource-vector.ts";
import type { Bitset } from "./bitset.ts";

const samplesMax = 32;
const closeMax = 8;
/** More equal pods than this fit on no node. */
const demandMax = 4_096;

export interface RankedType {
  /** Its number in the pool's index. */
  readonly type: number;
  readonly price: number;
  /** Beside the daemons. */
  readonly room: ResourceVector;
}

/**
 * Types that can be the cheapest for some requests, by price and then by name; a type that has no more of anything than
 * one before it is left out. A type's place in this order is its rank.
 */
export class LaunchProfile {
  readonly id: number;
  /** All types, those left out too. */
  readonly types: Bitset;
  readonly prices: readonly number[];
  /** Number of the type, by rank. */
  readonly ranked: readonly number[];
  /** Room beside the daemons, by rank. */
  readonly rooms: readonly ResourceVector[];
  /** The most that any type has, per dimension. */
  readonly most: ResourceVector;
  readonly #nothing: ResourceVector;
  /** By request: the rank of the cheapest type with room for one. */
  readonly #alone = new Map<ResourceVector, number>();
  /** By request and demand, for one charge. */
  readonly #best = new Map<ResourceVector, Map<number, number>>();
  #chargeOfBest = 0;

  constructor(id: number, types: Bitset, ranked: readonly RankedType[], width: number) {
    const [prices, numbers, rooms]: [number[], number[], ResourceVector[]] = [[], [], []];
    const most = new Float64Array(width).fill(-Infinity);
    for (const { type, price, room } of ranked) {
      prices.push(price);
      numbers.push(type);
      rooms.push(room);
      for (let d = 0; d < width; d++) if ((room[d] ?? 0) > (most[d] ?? 0)) most[d] = room[d] ?? 0;
    }
    this.id = id;
    this.types = types;
    this.prices = prices;
    this.ranked = numbers;
    this.rooms = rooms;
    this.#nothing = new Float64Array(width);
    this.most = most;
  }

  /** The lowest rank from `from` on with room for `used` and once `request`; -1 when there is none. */
  rankFor(used: ResourceVector, request: ResourceVector, from: number): number {
    const { rooms } = this;
    const width = request.length;
    for (let rank = from; rank < rooms.length; rank++) {
      const room = rooms[rank] ?? this.#nothing;
      let d = 0;
      while (d < width && (used[d] ?? 0) + (request[d] ?? 0) <= (room[d] ?? 0)) d++;
      if (d === width) return rank;
    }
    return -1;
  }

  /** The same for a claim with nothing on it; looked up for a vector that was asked before, which must not have changed. */
  rankAlone(request: ResourceVector): number {
    const known = this.#alone.get(request);
    if (known !== undefined) return known;
    const rank = this.rankFor(this.#nothing, request, 0);
    this.#alone.set(request, rank);
    return rank;
  }

  /** How often `request` fits beside `used` on the type of that rank, at most `limit` times. */
  timesAt(rank: number, used: ResourceVector, request: ResourceVector, limit: number): number {
    const room = this.rooms[rank];
    if (room === undefined) return 0;
    let times = limit;
    for (let d = 0; d < request.length; d++) {
      const left = (room[d] ?? 0) - (used[d] ?? 0);
      if (left < 0) return 0;
      const amount = request[d] ?? 0;
      if (amount > 0) times = Math.min(times, Math.floor(left / amount));
    }
    return times;
  }

  /**
   * The lowest price for one `request` when a node is filled with them, the node's charge included; there are `demand` of
   * them to place. Of long lists the first types with room and a sample of the others are looked at: further on the price
   * of room changes slowly.
   */
  bestPriceEach(request: ResourceVector, demand: number, nodeCharge: number): number {
    if (nodeCharge !== this.#chargeOfBest) this.#best.clear();
    this.#chargeOfBest = nodeCharge;
    let known = this.#best.get(request);
    if (known === undefined) {
      known = new Map();
      this.#best.set(request, known);
    }
    const wanted = Math.min(demand, demandMax);
    const price = known.get(wanted) ?? this.#bestPriceEach(request, wanted, nodeCharge);
    known.set(wanted, price);
    return price;
  }

  #bestPriceEach(request: ResourceVector, demand: number, nodeCharge: number): number {
    let price = Infinity;
    const last = this.rooms.length - 1;
    const first = this.rankAlone(request);
    if (first < 0) return price;
    const step = Math.max(1, (last - first) / samplesMax);
    for (let at = first; at <= last; at += at < first + closeMax ? 1 : step) {
      const rank = Math.floor(at);
      const times = timesFitting(this.rooms[rank] ?? request, request, demand);
      if (times >= 1) price = Math.min(price, ((this.prices[rank] ?? 0) + nodeCharge) / times);
      if (times === demand) break;
    }
    return price;
  }
}
