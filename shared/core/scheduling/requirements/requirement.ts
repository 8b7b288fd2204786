/**
 * Karpenter counterpart: pkg/scheduling/requirement.go. It differs: whether the label may be missing is a part of the
 * requirement, so that a contradiction (`In [a]` and `In [b]`) is not the same as `DoesNotExist`, `Exists` and `NotIn`
 * together keep both, and writing a requirement back loses nothing.
 */
import { normalizedLabels } from "#api/karpenter-v1/labels.ts";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";

/** The set of states that one label may be in: missing, or present with a value. */
export interface Requirement {
  readonly key: string;
  /** The label may be missing. */
  readonly absent: boolean;
  /** False: `values` are the allowed ones. True: all but `values` are allowed, within the bounds. */
  readonly complement: boolean;
  /** Sorted, distinct. */
  readonly values: readonly string[];
  /** Inclusive; only with `complement`. A bound admits integers only. */
  readonly atLeast?: number;
  readonly atMost?: number;
  /** So many distinct values must stay possible. */
  readonly minValues?: number;
}

export function normalizedKey(key: string): string {
  return Object.hasOwn(normalizedLabels, key) ? (normalizedLabels[key] ?? key) : key;
}

/**
 * Reads one item of `requirements`, one expression of a node selector term, or one bound. A bound that is not one
 * integer can never be met. Older label names become the stable ones.
 */
export function requirementOf(spec: RequirementSpec): Requirement {
  const key = normalizedKey(spec.key);
  const minValues = spec.minValues === undefined ? {} : { minValues: spec.minValues };
  const values = sortedDistinct(spec.values ?? []);
  switch (spec.operator) {
    case "In":
      return { key, absent: false, complement: false, values, ...minValues };
    case "NotIn":
      return { key, absent: true, complement: true, values, ...minValues };
    case "Exists":
      return { key, absent: false, complement: true, values: [], ...minValues };
    case "DoesNotExist":
      return { key, absent: true, complement: false, values: [], ...minValues };
    default:
      return { ...bounded(key, spec.operator, spec.values ?? []), ...minValues };
  }
}

/** The requirement that a label with this value is. */
export function valueRequirement(key: string, value: string): Requirement {
  return { key: normalizedKey(key), absent: false, complement: false, values: [value] };
}

export function allowsValue(requirement: Requirement, value: string): boolean {
  const { complement, values, atLeast, atMost } = requirement;
  if (!complement) return includesSorted(values, value);
  if (atLeast !== undefined || atMost !== undefined) {
    const n = integerOf(value);
    if (n === undefined || n < (atLeast ?? -Infinity) || n > (atMost ?? Infinity)) return false;
  }
  return !includesSorted(values, value);
}

/** What both allow. The larger minValues stays. */
export function intersect(a: Requirement, b: Requirement): Requirement {
  const absent = a.absent && b.absent;
  const least = Math.max(a.minValues ?? 0, b.minValues ?? 0);
  const minValues = least === 0 ? {} : { minValues: least };
  const { key } = a;
  if (!a.complement) {
    const values = a.values.filter((value) => allowsValue(b, value));
    return { key, absent, complement: false, values, ...minValues };
  }
  if (!b.complement) {
    const values = b.values.filter((value) => allowsValue(a, value));
    return { key, absent, complement: false, values, ...minValues };
  }
  return { ...intersectComplements(key, absent, a, b), ...minValues };
}

/** No label, missing or present, can meet it. */
export function isImpossible(requirement: Requirement): boolean {
  return !requirement.absent && !allowsSomeValue(requirement);
}

/** Some state of the label meets both. */
export function overlaps(a: Requirement, b: Requirement): boolean {
  if (a.absent && b.absent) return true;
  if (!a.complement) return a.values.some((value) => allowsValue(b, value));
  if (!b.complement) return b.values.some((value) => allowsValue(a, value));
  return allowsSomeValue(intersectComplements(a.key, false, a, b));
}

/** Every state that `a` allows is allowed by `b`. */
export function isWithin(a: Requirement, b: Requirement): boolean {
  if (a.absent && !b.absent) return false;
  if (!a.complement) return a.values.every((value) => allowsValue(b, value));
  if (!b.complement) return false;
  if ((b.atLeast ?? -Infinity) > (a.atLeast ?? -Infinity)) return false;
  if ((b.atMost ?? Infinity) < (a.atMost ?? Infinity)) return false;
  return b.values.every((value) => !allowsValue(a, value));
}

/** A whole number as Go reads one: sign and leading zeros are allowed. Beyond 2^53 a text counts as no number. */
export function integerOf(text: string): number | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const n = Number(text);
  return Number.isSafeInteger(n) ? n : undefined;
}

export function includesSorted(values: readonly string[], value: string): boolean {
  if (values.length <= 8) return values.includes(value);
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? "") < value) low = middle + 1;
    else high = middle;
  }
  return values[low] === value;
}

function bounded(key: string, operator: "Gt" | "Lt" | "Gte" | "Lte", values: readonly string[]): Requirement {
  const impossible = { key, absent: false, complement: false, values: [] };
  const text = values[0];
  if (values.length !== 1 || text === undefined || !/^[+-]?\d+$/.test(text)) return impossible;
  const n = Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(text)));
  if (operator === "Gt" && n === Number.MAX_SAFE_INTEGER) return impossible;
  if (operator === "Lt" && n === Number.MIN_SAFE_INTEGER) return impossible;
  const any = { key, absent: false, complement: true, values: [] };
  if (operator === "Gt") return { ...any, atLeast: n + 1 };
  if (operator === "Gte") return { ...any, atLeast: n };
  return { ...any, atMost: operator === "Lt" ? n - 1 : n };
}

function intersectComplements(key: string, absent: boolean, a: Requirement, b: Requirement): Requirement {
  const atLeast = Math.max(a.atLeast ?? -Infinity, b.atLeast ?? -Infinity);
  const atMost = Math.min(a.atMost ?? Infinity, b.atMost ?? Infinity);
  if (atLeast > atMost) return { key, absent, complement: false, values: [] };
  const bounds = {
    ...(atLeast === -Infinity ? {} : { atLeast }),
    ...(atMost === Infinity ? {} : { atMost }),
  };
  const within = { key, absent, complement: true, values: [], ...bounds };
  const excluded = sortedDistinct([...a.values, ...b.values]).filter((value) => allowsValue(within, value));
  return { ...within, values: excluded };
}

function allowsSomeValue(requirement: Requirement): boolean {
  const { complement, values, atLeast, atMost } = requirement;
  if (!complement) return values.length > 0;
  if (atLeast === undefined || atMost === undefined) return true;
  // Each exclusion takes at most one integer away ("3" and "03" are the same one).
  const excluded = new Set(values.map((value) => integerOf(value)));
  return atMost - atLeast + 1 > excluded.size;
}

function sortedDistinct(values: readonly string[]): readonly string[] {
  return values.length <= 1 ? [...values] : [...new Set(values)].sort();
}
