/**
 * Karpenter counterpart: pkg/scheduling/requirement.go, NodeSelectorRequirement and String. It differs: bounds and
 * exclusions are both written (Karpenter drops the exclusions), and bounds are written as Gt and Lt, which every version
 * of the CRDs accepts, not as Gte and Lte.
 */
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import type { Requirement } from "./requirement.ts";

/**
 * The items of a `requirements` list that say the same as `requirement`; reading them back and intersecting them gives
 * it again. None for a requirement that allows everything; a contradictory pair for one that allows nothing.
 */
export function specsOf(requirement: Requirement): readonly RequirementSpec[] {
  const items = itemsOf(requirement);
  const [first, ...rest] = items;
  if (first === undefined || requirement.minValues === undefined) return items;
  return [{ ...first, minValues: requirement.minValues }, ...rest];
}

function itemsOf({ key, absent, complement, values, atLeast, atMost }: Requirement): readonly RequirementSpec[] {
  if (!complement) {
    if (values.length > 0) return [{ key, operator: "In", values }];
    const missing: RequirementSpec = { key, operator: "DoesNotExist" };
    return absent ? [missing] : [missing, { key, operator: "Exists" }];
  }
  const items: RequirementSpec[] = [];
  if (atLeast !== undefined) {
    // The CRD wants a bound of 0 or more, so "at least 0" cannot be written with Gt.
    items.push(
      atLeast > 0
        ? { key, operator: "Gt", values: [String(atLeast - 1)] }
        : { key, operator: "Gte", values: [String(atLeast)] },
    );
  }
  if (atMost !== undefined) items.push({ key, operator: "Lt", values: [String(atMost + 1)] });
  if (!absent && items.length === 0) items.push({ key, operator: "Exists" });
  if (values.length > 0) items.push({ key, operator: "NotIn", values });
  return items;
}

/** A canonical text: equal for equal requirements, different for different ones. */
export function keyOfRequirement(requirement: Requirement): string {
  const { key, absent, complement, values, atLeast, atMost, minValues } = requirement;
  return JSON.stringify([
    key,
    absent ? 1 : 0,
    complement ? 1 : 0,
    values,
    atLeast ?? "",
    atMost ?? "",
    minValues ?? "",
  ]);
}

/** For people, at most about `maxValues` values: `zone in [a, b]`, `cpu > 4`. */
export function describeRequirement(requirement: Requirement, maxValues = 4): string {
  const { key, absent, complement, values, atLeast, atMost } = requirement;
  if (!complement) {
    if (values.length > 0) return `${key} in ${listed(values, maxValues)}`;
    return absent ? `${key} does not exist` : `${key} has no possible value`;
  }
  const parts: string[] = [];
  if (atLeast !== undefined) parts.push(`>= ${atLeast}`);
  if (atMost !== undefined) parts.push(`<= ${atMost}`);
  if (!absent && parts.length === 0) parts.push("exists");
  if (values.length > 0) parts.push(`not in ${listed(values, maxValues)}`);
  return parts.length === 0 ? `${key} is anything` : `${key} ${parts.join(" and ")}`;
}

function listed(values: readonly string[], max: number): string {
  const shown = values.slice(0, max).join(", ");
  return values.length > max ? `[${shown} and ${values.length - max} more]` : `[${shown}]`;
}
