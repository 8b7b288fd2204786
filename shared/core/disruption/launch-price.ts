/**
 * Karpenter counterpart: pkg/cloudprovider/types.go, Offerings.WorstLaunchPrice. No difference: a launch tries reserved
 * capacity, then spot, then on demand, so the first of them that can be had decides, at its dearest.
 */
import type { Offering } from "../instance-type.ts";
import type { InstanceTypeIndex } from "../scheduling/instance-types/instance-type-index.ts";
import type { RequirementSet } from "../scheduling/requirements/requirement-set.ts";

/** In the order in which a launch tries them. */
export const capacityTypesInTurn = ["reserved", "spot", "on-demand"] as const;

/** Per hour; Infinity when nothing can be had. */
export function worstLaunchPrice(offerings: readonly Offering[]): number {
  for (const capacityType of capacityTypesInTurn) {
    const own = offerings.filter((offering) => offering.capacityType === capacityType);
    if (own.length > 0) return Math.max(...own.map(({ pricePerHour }) => pricePerHour));
  }
  return Number.POSITIVE_INFINITY;
}

/** Prices of the types of one tick's pools, each found once. */
export class LaunchPrices {
  readonly #known = new Map<InstanceTypeIndex, Map<number, (number | undefined)[]>>();

  /** Per hour, what launching the type under the set costs at worst. */
  worst(index: InstanceTypeIndex, type: number, set: RequirementSet): number {
    const bySet = this.#known.get(index) ?? new Map<number, (number | undefined)[]>();
    this.#known.set(index, bySet);
    const prices = bySet.get(set.id) ?? [];
    bySet.set(set.id, prices);
    const price = prices[type] ?? worstLaunchPrice(index.availableOfferings(type, set));
    prices[type] = price;
    return price;
  }
}
