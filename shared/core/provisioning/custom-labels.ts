/**
 * Karpenter counterpart: pkg/scheduling/requirements.go, Labels, and requirement.go, Any. It differs: the value is the
 * first by order, or the lowest integer, not a random one; a label that may be missing stays missing.
 */
import { hostnameLabel } from "#api/karpenter-v1/labels.ts";
import { allowsValue, isImpossible, type Requirement } from "../scheduling/requirements/requirement.ts";
import type { Requirements } from "../scheduling/requirements/requirements.ts";

/** The labels of a new claim that its requirements on custom labels ask for. Well-known ones come with the instance. */
export function customLabels(
  requirements: Requirements,
  isWellKnown: (key: string) => boolean,
): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  for (const requirement of requirements.values()) {
    const { key, absent } = requirement;
    if (absent || key === hostnameLabel || isWellKnown(key) || isImpossible(requirement)) continue;
    const value = someValue(requirement);
    if (value !== undefined) labels[key] = value;
  }
  return labels;
}

/** Bounded by the number of exclusions: one of so many integers plus one is free. */
function someValue(requirement: Requirement): string | undefined {
  if (!requirement.complement) return requirement.values[0];
  const start = requirement.atLeast ?? Math.min(0, requirement.atMost ?? 0);
  const direction = requirement.atLeast === undefined && requirement.atMost !== undefined ? -1 : 1;
  for (let i = 0; i <= requirement.values.length; i++) {
    const value = String(start + direction * i);
    if (allowsValue(requirement, value)) return value;
  }
  return undefined;
}
