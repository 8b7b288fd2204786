/** One claim while pods are packed anew: what it would cost, and whether it may be. Karpenter counterpart: none; it keeps the packing that it finds first. */

import { fittingTypes } from "../claims/candidate-pool.ts";
import type { Bitset } from "../instance-types/bitset.ts";
import { type Breadth, breadthOf, enoughFor } from "../instance-types/flexibility.ts";
import { nodeChargePerHour } from "../instance-types/node-charge.ts";
import type { ResourceVector } from "../resources/resource-vector.ts";
import type { BinLane, Load } from "./bin-lane.ts";
import type { HostTally } from "./host-rules.ts";
import { dot } from "./worths.ts";

/** What a claim would hold. */
export interface Filling {
  readonly lane: BinLane;
  /** At least one. */
  readonly loads: readonly Load[];
  readonly used: ResourceVector;
  /** Of the cheapest type with room for it. */
  readonly rank: number;
}

export interface Bin extends Filling {
  readonly price: number;
  /** With the charge for the node. */
  readonly cost: number;
  /** Of its pods; at most the cost. */
  readonly worth: number;
}

/** Differences of cost below this are roundings. */
export const roundings = 1e-9;

export function binOf({ lane, loads, used, rank }: Filling): Bin {
  const worth = dot(lane.worths, used);
  return { lane, loads, used, rank, price: priceAt(lane, rank), cost: costAt(lane, rank), worth };
}

/** Types that a claim with that load could be. */
export function typesOf({ lane: { sample, profile }, used }: Pick<Filling, "lane" | "used">): Bitset {
  return fittingTypes(sample.pool, profile.types, used, []);
}

export function priceAt({ profile }: BinLane, rank: number): number {
  return profile.prices[rank] ?? 0;
}

/** With the charge for the node. */
export function costAt(lane: BinLane, rank: number): number {
  return priceAt(lane, rank) + nodeChargePerHour;
}

/** -1: no type has so much room. Prices rise with the rank, and no type costs less than what it holds is worth. */
export function cheapestRank({ profile: { prices, rooms }, worths }: BinLane, used: ResourceVector): number {
  const atLeast = dot(worths, used) - nodeChargePerHour - roundings;
  let [low, high] = [0, prices.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((prices[middle] ?? 0) < atLeast) low = middle + 1;
    else high = middle;
  }
  for (let rank = low; rank < rooms.length; rank++) {
    const room = rooms[rank];
    if (room !== undefined && holds(room, used)) return rank;
  }
  return -1;
}

function holds(room: ResourceVector, used: ResourceVector): boolean {
  for (let d = 0; d < room.length; d++) if ((used[d] ?? 0) > (room[d] ?? 0)) return false;
  return true;
}

/** The claim, if its pods may be on one host and enough ways to launch it are left. */
export function allowedBin(filling: Filling, tally: HostTally): Bin | undefined {
  const { lane, loads, used, rank } = filling;
  let [types, zones] = [0, Infinity];
  tally.clear();
  for (const { kind, count } of loads) {
    types = Math.max(types, kind.types);
    zones = Math.min(zones, kind.zones);
    if (kind.host === undefined) continue;
    if (tally.room(kind.host) < count) return undefined;
    tally.add(kind.host, count);
  }
  return isBroad(lane, rank, used, { types, zones }) ? binOf(filling) : undefined;
}

/** As many types are left as its pods had, or enough, and zones as one of them had. */
export function isBroad(lane: BinLane, rank: number, used: ResourceVector, asked: Breadth): boolean {
  const { breadthOfFull, enoughOf, sample, profile } = lane;
  const { pool, set } = sample;
  const enough = enoughOf[rank] ?? enoughFor({ pool, set, profile, rank });
  enoughOf[rank] = enough;
  // With all of that type's room in use no more types are left than now.
  const full = profile.rooms[rank] ?? used;
  const atLeast = breadthOfFull[rank] ?? breadthOf({ pool, set, types: typesOf({ lane, used: full }) });
  breadthOfFull[rank] = atLeast;
  return (
    isEnough(atLeast, asked, enough) ||
    isEnough(breadthOf({ pool, set, types: typesOf({ lane, used }) }), asked, enough)
  );
}

function isEnough({ types, zones }: Breadth, asked: Breadth, enough: number): boolean {
  return types >= Math.min(enough, asked.types) && zones >= asked.zones;
}
