/**
 * Karpenter counterpart: pkg/cloudprovider/types.go, InstanceTypes.OrderByPrice and Truncate. It differs: the order is
 * total (price, then name), and where the cheapest types alone do not have minValues distinct values, dearer ones that
 * do are kept instead of giving the claim up.
 */

import { valuesOf } from "../requirements/min-values.ts";
import type { Requirement } from "../requirements/requirement.ts";
import type { RequirementSet } from "../requirements/requirement-set.ts";
import { type Bitset, has } from "./bitset.ts";
import type { InstanceTypeIndex } from "./instance-type-index.ts";

/** Karpenter: MaxInstanceTypes. */
export const maxInstanceTypes = 600;

/** `types` by price of the cheapest available offering that meets `set`, then by name; at most `limit` of them. */
export function cheapestFirst(
  types: Bitset,
  set: RequirementSet,
  index: InstanceTypeIndex,
  limit: number = maxInstanceTypes,
): readonly number[] {
  const ordered: number[] = [];
  const order = index.priceOrder(set);
  for (let i = 0; i < order.length; i++) {
    const type = order[i] ?? 0;
    if (has(types, type)) ordered.push(type);
  }
  return ordered.length <= limit ? ordered : truncated(ordered, set, index, limit);
}

function truncated(
  ordered: readonly number[],
  set: RequirementSet,
  index: InstanceTypeIndex,
  limit: number,
): readonly number[] {
  const needed = new Set<number>();
  for (const requirement of set.requirements.values()) {
    for (const type of neededFor(requirement, ordered, index)) if (needed.size < limit) needed.add(type);
  }
  for (const type of ordered) {
    if (needed.size >= limit) break;
    needed.add(type);
  }
  return ordered.filter((type) => needed.has(type));
}

/** The cheapest types that together give the requirement its minValues. */
function neededFor(requirement: Requirement, ordered: readonly number[], index: InstanceTypeIndex): readonly number[] {
  const { minValues } = requirement;
  if (minValues === undefined) return [];
  const seen = new Set<string>();
  return ordered.filter((type) => {
    if (seen.size >= minValues) return false;
    const before = seen.size;
    for (const value of valuesOf(requirement, type, index)) seen.add(value);
    return seen.size > before;
  });
}
