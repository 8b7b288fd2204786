/** One claim while pods are packed anew: what it would cost, and whether it may be. Karpenter counterpart: none; it keeps the packing that it finds first. */
import type { Bitset } from "../bitset.ts";
import { fittingTypes } from "../candidate-pool.ts";
import { breadthOf, enoughFor } from "../flexibility.ts";
import type { LaunchProfile } from "../launch-profile.ts";
import { nodeChargePerHour } from "../node-charge.ts";
import type { ResourceVector } from "../resource-vector.ts";
import type { BinLane, Load } from "./bin-lane.ts";
import type { HostTally } from "./host-rules.ts";
import { dot } from "./worths.ts";

export interface Bin {
  readonly lane: BinLane;
  readonly loads: readonly Load[];
  readonly used: ResourceVector;
  /** Of the cheapest type with room for it. */
  readonly rank: number;
  readonly price: number;
  /** With the charge for the node. */
  readonly cost: number;
  /** Of its pods; at most the cost. */
  readonly worth: number;
}

/** Undefined: no type has so much room. */
export function binOf(loads: readonly Load[], used: ResourceVector, lane: BinLane): Bin | undefined {
  const worth = dot(lane.worths, used);
  if (loads.length === 0) return { lane, loads, used, rank: 0, price: 0, cost: 0, worth };
  const { profile } = lane;
  const rank = cheapestRank(profile, used, worth - nodeChargePerHour);
  if (rank < 0) return undefined;
  const price = profile.prices[rank] ?? 0;
  return { lane, loads, used, rank, price, cost: price + nodeChargePerHour, worth };
}

/** `atLeast`: no type with that room costs less. Prices rise with the rank. */
function cheapestRank({ prices, rooms }: LaunchProfile, used: ResourceVector, atLeast: number): number {
  let [low, high] = [0, prices.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((prices[middle] ?? 0) < atLeast - 1e-9) low = middle + 1;
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

/** Types that a claim with that load could be. */
export function typesOf({ lane: { sample, profile }, used }: Bin): Bitset {
  return fittingTypes(sample.pool, profile.types, used, []);
}

/** Its pods may be on one host, and as many types are left as they had, or enough, and zones as one of them had. */
export function isAllowed(bin: Bin, tally: HostTally): boolean {
  return mayShareHost(bin.loads, tally) && isBroad(bin);
}

function mayShareHost(loads: readonly Load[], tally: HostTally): boolean {
  tally.clear();
  for (const { kind, count } of loads) {
    if (kind.host === undefined) continue;
    if (tally.room(kind.host) < count) return false;
    tally.add(kind.host, count);
  }
  return true;
}

function isBroad(bin: Bin): boolean {
  const { loads, rank, lane } = bin;
  const { pool, set } = lane.sample;
  const { types, zones } = breadthOf({ pool, set, types: typesOf(bin) });
  const enough = enoughFor({ pool, set, profile: lane.profile, rank });
  if (loads.some(({ kind }) => types < Math.min(enough, kind.types))) return false;
  return zones >= Math.min(...loads.map(({ kind }) => kind.zones));
}
