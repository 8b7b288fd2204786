/**
 * Karpenter counterpart: pkg/utils/pdb/pdb.go and pkg/utils/pod/scheduling.go, IsCurrentlyReschedulable. No difference;
 * selectors are compiled once for many pods.
 */
import type { PodDisruptionBudget } from "#api/core-v1/cluster-objects.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import { compileSelector } from "#api/label-selector.ts";
import { isDisruptable, isEvictable, isReschedulable } from "./pod-predicates.ts";

/** The budgets of a cluster, ready to be asked about many pods. */
export interface DisruptionBudgets {
  /** In the order of the cluster's list. */
  readonly matching: (pod: Pod) => readonly PodDisruptionBudget[];
}

/**
 * `zero-disruptions`: no eviction is allowed now. `fully-blocking`: none ever will be, by the budget's own words
 * (maxUnavailable 0, minAvailable 100%).
 */
export type BlockingMode = "zero-disruptions" | "fully-blocking";

export function disruptionBudgets(budgets: readonly PodDisruptionBudget[]): DisruptionBudgets {
  const byNamespace = new Map<string, { budget: PodDisruptionBudget; selects: (pod: Pod) => boolean }[]>();
  for (const budget of budgets) {
    const namespace = budget.metadata.namespace ?? "default";
    const matches = compileSelector(budget.spec.selector);
    const selects = (pod: Pod): boolean => matches(pod.metadata.labels ?? {});
    const list = byNamespace.get(namespace);
    if (list === undefined) byNamespace.set(namespace, [{ budget, selects }]);
    else list.push({ budget, selects });
  }
  return {
    matching: (pod) =>
      (byNamespace.get(pod.metadata.namespace ?? "default") ?? [])
        .filter(({ selects }) => selects(pod))
        .map(({ budget }) => budget),
  };
}

/**
 * The budgets that keep `pod` from being evicted. More than one matching budget always blocks, because the eviction API
 * refuses such a pod. A pod that is not evictable anyway is blocked by none.
 */
export function blockingBudgets(
  pod: Pod,
  budgets: DisruptionBudgets,
  mode: BlockingMode,
  nowMs: number,
): readonly PodDisruptionBudget[] {
  const matching = budgets.matching(pod);
  if (matching.length === 0 || !isEvictable(pod, nowMs)) return [];
  if (matching.length > 1) return matching;
  return matching.filter((budget) => !alwaysAllows(budget, pod) && blocks(budget, mode));
}

/** Will come back elsewhere, and can leave its node now: demand, if the node is going. */
export function isCurrentlyReschedulable(pod: Pod, budgets: DisruptionBudgets, nowMs: number): boolean {
  return (
    isReschedulable(pod) &&
    isDisruptable(pod, nowMs) &&
    blockingBudgets(pod, budgets, "fully-blocking", nowMs).length === 0
  );
}

function alwaysAllows(budget: PodDisruptionBudget, pod: Pod): boolean {
  if (budget.spec.unhealthyPodEvictionPolicy !== "AlwaysAllow") return false;
  return (pod.status?.conditions ?? []).some((c) => c.type === "Ready" && c.status === "False");
}

function blocks(budget: PodDisruptionBudget, mode: BlockingMode): boolean {
  if (mode === "zero-disruptions") return (budget.status?.disruptionsAllowed ?? 0) === 0;
  const { maxUnavailable, minAvailable } = budget.spec;
  return maxUnavailable === 0 || maxUnavailable === "0%" || minAvailable === "100%";
}
