/**
 * Karpenter counterpart: pkg/scheduling/requirements.go. It differs: a label that a node does not have is a fact
 * (`DoesNotExist`) and is never added by a pod's `NotIn`; see requirement.ts for the algebra.
 */
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import {
  allowsValue,
  intersect,
  isImpossible,
  overlaps,
  type Requirement,
  requirementOf,
  valueRequirement,
} from "./requirement.ts";
import { describeRequirement, keyOfRequirement, specsOf } from "./requirement-text.ts";

/** At most one requirement a key. A key that is not there allows everything. */
export type Requirements = ReadonlyMap<string, Requirement>;

export const noRequirements: Requirements = new Map();

/** Items with the same key are intersected; the result may hold impossible ones. */
export function requirementsOf(specs: readonly RequirementSpec[]): Requirements {
  return collected(specs.map(requirementOf));
}

export function labelRequirements(labels: Readonly<Record<string, string>> | undefined): Requirements {
  return collected(Object.entries(labels ?? {}).map(([key, value]) => valueRequirement(key, value)));
}

/** What both allow, key by key; the result may hold impossible ones. */
export function intersectRequirements(a: Requirements, b: Requirements): Requirements {
  if (a.size === 0) return b;
  if (b.size === 0) return a;
  return collected([...a.values(), ...b.values()]);
}

/** The first key (by name) whose requirement nothing can meet. */
export function impossibleKey(requirements: Requirements): string | undefined {
  return firstKey(requirements, (requirement) => isImpossible(requirement));
}

/** One requirement that is not met, and what there is instead (undefined: the label is not defined there). */
export interface Incompatibility {
  readonly wanted: Requirement;
  readonly found: Requirement | undefined;
}

/** The first key (by name) that both have and that cannot be met together; keys of one side only do not matter. */
export function firstConflict(found: Requirements, wanted: Requirements): Incompatibility | undefined {
  const key = firstKey(wanted, (requirement) => {
    const other = found.get(requirement.key);
    return other !== undefined && !overlaps(other, requirement);
  });
  return incompatibility(found, wanted, key);
}

/**
 * As firstConflict, and a label that `found` does not define counts as missing unless `mayBeUndefined` says that it can
 * still get any value (well-known labels of a node that does not exist yet).
 */
export function firstIncompatibility(
  found: Requirements,
  wanted: Requirements,
  mayBeUndefined: (key: string) => boolean,
): Incompatibility | undefined {
  const key = firstKey(wanted, (requirement) => {
    const other = found.get(requirement.key);
    if (other !== undefined) return !overlaps(other, requirement);
    return mayBeUndefined(requirement.key) ? isImpossible(requirement) : !requirement.absent;
  });
  return incompatibility(found, wanted, key);
}

/** True when a node with exactly these labels meets all of them. Keys of `requirements` are stable names. */
export function labelsMeet(labels: Readonly<Record<string, string>>, requirements: Requirements): boolean {
  for (const requirement of requirements.values()) {
    const value = Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined;
    if (value === undefined ? !requirement.absent : !allowsValue(requirement, value)) return false;
  }
  return true;
}

/** Sorted by key; nothing is lost. */
export function specsOfRequirements(requirements: Requirements): readonly RequirementSpec[] {
  return sorted(requirements).flatMap(specsOf);
}

/** A canonical text: equal for equal sets. */
export function keyOfRequirements(requirements: Requirements): string {
  return sorted(requirements).map(keyOfRequirement).join("");
}

export function describeIncompatibility({ wanted, found }: Incompatibility): string {
  const has = found === undefined ? "the label is not there" : `has ${describeRequirement(found)}`;
  return `wants ${describeRequirement(wanted)}, ${has}`;
}

function collected(items: readonly Requirement[]): Requirements {
  const byKey = new Map<string, Requirement>();
  for (const item of items) {
    const before = byKey.get(item.key);
    byKey.set(item.key, before === undefined ? item : intersect(before, item));
  }
  return byKey;
}

function sorted(requirements: Requirements): readonly Requirement[] {
  return [...requirements.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

function firstKey(requirements: Requirements, fails: (requirement: Requirement) => boolean): string | undefined {
  let first: string | undefined;
  for (const requirement of requirements.values()) {
    if ((first === undefined || requirement.key < first) && fails(requirement)) first = requirement.key;
  }
  return first;
}

function incompatibility(
  found: Requirements,
  wanted: Requirements,
  key: string | undefined,
): Incompatibility | undefined {
  const requirement = key === undefined ? undefined : wanted.get(key);
  return requirement === undefined ? undefined : { wanted: requirement, found: found.get(requirement.key) };
}
