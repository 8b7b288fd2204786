/**
 * How many ways there are to launch a claim: with one way only, one shortage of capacity leaves its pods waiting. Karpenter
 * counterpart: none in scheduling; pkg/controllers/disruption/consolidation.go asks 15 types of a spot replacement.
 */

import type { ClaimInWork } from "../claims/claim-in-work.ts";
import type { Slot } from "../claims/slot.ts";
import type { Step } from "../pods/class-in-work.ts";
import { countOf } from "./bitset.ts";

/** So many types make a claim safe from one shortage; more is good and not asked for. */
export const enoughTypes = { spot: 15, other: 5 } as const;

export interface Breadth {
  readonly types: number;
  readonly zones: number;
}

export function breadthOf({ types, set, pool }: Pick<ClaimInWork, "types" | "set" | "pool">): Breadth {
  return { types: countOf(types), zones: pool.index.zoneCount(types, set) };
}

/** By the capacity type of its cheapest offering. */
export function enoughFor({
  pool,
  set,
  profile,
  rank,
}: Pick<ClaimInWork, "pool" | "set" | "profile" | "rank">): number {
  const cheapest = pool.index.availableOfferings(profile.ranked[rank] ?? 0, set)[0];
  return cheapest?.capacityType === "spot" ? enoughTypes.spot : enoughTypes.other;
}

/** With the pod fewer types would be left than keep a claim safe from one shortage of capacity. */
export function isTooNarrow({ place: { claim }, fit: { profile, rank } }: Slot, { requests }: Step): boolean {
  // Types of higher rank mostly have more room, so only near the end of the list the exact number matters.
  if (profile.rooms.length - rank > 2 * enoughTypes.spot) return false;
  const enough = enoughFor(claim);
  return countOf(claim.typesWith(requests)) < enough && countOf(claim.types) >= enough;
}

/** Of equal pods those in the broadest claims first, so that plans can be compared though equal pods changed places. */
export function broadestFirst(a: Breadth, b: Breadth): number {
  return b.types - a.types || b.zones - a.zones;
}
