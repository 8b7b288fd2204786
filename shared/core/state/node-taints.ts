/**
 * Karpenter counterpart: pkg/scheduling/taints.go, Merge, and the removals that its registration and disruption write
 * out. No difference: a taint is told by key and effect, and is not added twice.
 */
import type { Taint } from "#api/core-v1/pod.ts";
import { sameTaint } from "../scheduling/requirements/taints.ts";

/** The taints, then those of `wanted` whose key and effect are not among them. */
export function mergedTaints(taints: readonly Taint[], wanted: readonly Taint[]): readonly Taint[] {
  const added = wanted.filter((taint, index) => {
    const isFirst = wanted.findIndex((other) => sameTaint(other, taint)) === index;
    return isFirst && !taints.some((present) => sameTaint(present, taint));
  });
  return [...taints, ...added];
}

/** The taints with `taint` as the only one of its key. */
export function withOnlyTaint(taints: readonly Taint[], taint: Taint): readonly Taint[] {
  return [...withoutTaintKey(taints, taint.key), taint];
}

export function withoutTaintKey(taints: readonly Taint[], key: string): readonly Taint[] {
  return taints.filter((taint) => taint.key !== key);
}

export function hasTaint(taints: readonly Taint[] | undefined, taint: Taint): boolean {
  return (taints ?? []).some((present) => sameTaint(present, taint));
}

export function hasTaintKey(taints: readonly Taint[] | undefined, key: string): boolean {
  return (taints ?? []).some((taint) => taint.key === key);
}
