/**
 * How many ways there are to launch a claim: with one way only, one shortage of capacity leaves its pods waiting. Karpenter
 * counterpart: none in scheduling; pkg/controllers/disruption/consolidation.go asks 15 types of a spot replacement.
 */
import { indicesOf } from "./bitset.ts";
import type { ClaimInWork } from "./claim-in-work.ts";

/** So many types make a claim safe from one shortage; more is good and not asked for. */
export const enoughTypes = { spot: 15, other: 5 } as const;

export interface Breadth {
  readonly types: number;
  readonly zones: number;
}

export function breadthOf({ types, set, pool }: ClaimInWork): Breadth {
  const indices = indicesOf(types);
  const zones = new Set(indices.flatMap((type) => pool.index.availableOfferings(type, set).map(({ zone }) => zone)));
  return { types: indices.length, zones: zones.size };
}

/** By the capacity type of its cheapest offering. */
export function enoughFor({ pool, set, profile, rank }: ClaimInWork): number {
  const cheapest = pool.index.availableOfferings(profile.ranked[rank] ?? 0, set)[0];
  return cheapest?.capacityType === "spot" ? enoughTypes.spot : enoughTypes.other;
}
