/**
 * Karpenter counterpart: pkg/cloudprovider/types.go, InstanceTypes.SatisfiesMinValues. It differs: only values that the
 * requirement still allows after pods narrowed it are counted, because those are the ones that the claim will name.
 */
import { type Bitset, has } from "../instance-types/bitset.ts";
import type { InstanceTypeIndex } from "../instance-types/instance-type-index.ts";
import { allowsValue, type Requirement } from "./requirement.ts";
import type { RequirementSet, RequirementSets } from "./requirement-set.ts";

/** BestEffort: a claim asks for as many values as there are, when there are fewer than its NodePool wants. */
export type MinValuesPolicy = "Strict" | "BestEffort";

export interface MinValuesShortage {
  readonly key: string;
  readonly wanted: number;
  readonly found: number;
}

export function hasMinValues(set: RequirementSet): boolean {
  for (const requirement of set.requirements.values()) if (requirement.minValues !== undefined) return true;
  return false;
}

/** The requirements of `set` that `types` leave with too few distinct values, by key. */
export function minValuesShortages(
  set: RequirementSet,
  types: Bitset,
  index: InstanceTypeIndex,
): readonly MinValuesShortage[] {
  const shortages: MinValuesShortage[] = [];
  for (const requirement of set.requirements.values()) {
    const { key, minValues } = requirement;
    if (minValues === undefined) continue;
    const found = distinctValues(requirement, types, index).size;
    if (found < minValues) shortages.push({ key, wanted: minValues, found });
  }
  return shortages.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** The set with as many values asked for as there are. */
export function withFewerValues(
  set: RequirementSet,
  shortages: readonly MinValuesShortage[],
  sets: RequirementSets,
): RequirementSet {
  const requirements = new Map(set.requirements);
  for (const { key, found } of shortages) {
    const before = requirements.get(key);
    if (before === undefined) continue;
    const { minValues: _, ...rest } = before;
    requirements.set(key, found === 0 ? rest : { ...rest, minValues: found });
  }
  return sets.intern(requirements);
}

/** The values that some of the types give to the label and that the requirement allows. */
export function distinctValues(requirement: Requirement, types: Bitset, index: InstanceTypeIndex): Set<string> {
  const values = new Set<string>();
  for (const type of index.types.keys()) {
    if (has(types, type)) for (const value of valuesOf(requirement, type, index)) values.add(value);
  }
  return values;
}

export function valuesOf(requirement: Requirement, type: number, index: InstanceTypeIndex): readonly string[] {
  const own = index.labelOf(type, requirement.key);
  if (own === undefined || own.complement) return [];
  return own.values.filter((value) => allowsValue(requirement, value));
}
