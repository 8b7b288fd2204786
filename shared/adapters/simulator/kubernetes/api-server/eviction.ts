/**
 * An oracle: which eviction a PodDisruptionBudget lets through, written from the eviction API's rules and apart from
 * shared/core/pod/pod-disruption.ts on purpose: here is what happens to a plan, so that a mistake of either shows.
 */
import type { PodDisruptionBudget } from "#api/core-v1/cluster-objects.ts";
import type { LabelSelector } from "#api/core-v1/meta.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import { compileSelector, type LabelPredicate } from "#api/label-selector.ts";
import { formatTime } from "#api/time.ts";
import { type Refusal, refusal } from "./answer.ts";
import type { Store } from "./store.ts";

/** What the eviction API decides: refuse, or delete the pod, after it was charged to `charge` where that is given. */
export type Eviction =
  | Refusal
  | { readonly kind: "evict"; readonly charge?: PodDisruptionBudget; readonly chargedStatus?: BudgetStatus };

export type BudgetStatus = NonNullable<PodDisruptionBudget["status"]> & {
  readonly observedGeneration?: number;
  /** Pods whose eviction was granted and that the controller has not seen going yet, with the time. */
  readonly disruptedPods?: Readonly<Record<string, string>>;
};

/** Kubernetes: the API server asks a refused client to come back after ten seconds while a budget is not computed yet. */
const retryAfterSeconds = 10;

/**
 * Kubernetes' eviction subresource. Pods that do not run yet or any more, and pods on their way out, need no budget. A
 * pod under two budgets cannot be evicted (500). An unready pod may go when its budget says AlwaysAllow, or when the
 * budget is met without it.
 */
export function decideEviction(pod: Pod, store: Store, nowMs: number): Eviction {
  if (needsNoBudget(pod)) return { kind: "evict" };
  const budgets = budgetsOf(pod, store);
  const [budget, second] = budgets;
  if (budget === undefined) return { kind: "evict" };
  if (second !== undefined) {
    return refusal(
      500,
      "InternalError",
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    );
  }
  const status: BudgetStatus = budget.status ?? {};
  if (!isReady(pod) && unreadyMayGo(budget, status)) return { kind: "evict" };
  return charge(pod, budget, status, nowMs);
}

export function isReady(pod: Pod): boolean {
  return pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}

export function budgetsOf(pod: Pod, store: Store): readonly PodDisruptionBudget[] {
  return store
    .list("PodDisruptionBudget")
    .filter(
      (budget) => budget.metadata.namespace === pod.metadata.namespace && selectorOf(budget)(pod.metadata.labels ?? {}),
    );
}

/** Compiled once for each selector: stored objects are frozen, and keep the parts that a write does not change. */
export function selectorOf({ spec }: PodDisruptionBudget): LabelPredicate {
  const { selector } = spec;
  if (selector === undefined) return compileSelector(selector);
  const known = compiled.get(selector);
  if (known !== undefined) return known;
  const predicate = compileSelector(selector);
  compiled.set(selector, predicate);
  return predicate;
}
const compiled = new WeakMap<LabelSelector, LabelPredicate>();

function needsNoBudget(pod: Pod): boolean {
  const phase = pod.status?.phase;
  return (
    phase === "Succeeded" || phase === "Failed" || phase === "Pending" || pod.metadata.deletionTimestamp !== undefined
  );
}

function unreadyMayGo(budget: PodDisruptionBudget, status: BudgetStatus): boolean {
  if (budget.spec.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  const desired = status.desiredHealthy ?? 0;
  return desired > 0 && (status.currentHealthy ?? 0) >= desired;
}

function charge(pod: Pod, budget: PodDisruptionBudget, status: BudgetStatus, nowMs: number): Eviction {
  const { name } = budget.metadata;
  if ((status.observedGeneration ?? 0) < (budget.metadata.generation ?? 0)) {
    return { ...refused(`The disruption budget ${name} is still being processed by the server.`), retryAfterSeconds };
  }
  const allowed = status.disruptionsAllowed ?? 0;
  if (allowed <= 0) {
    return refused(
      `Cannot evict pod as it would violate the pod's disruption budget ${name}, which needs ` +
        `${status.desiredHealthy ?? 0} healthy pods and has ${status.currentHealthy ?? 0} currently`,
    );
  }
  const disruptedPods = { ...status.disruptedPods, [pod.metadata.name]: formatTime(nowMs) };
  return {
    kind: "evict",
    charge: budget,
    chargedStatus: { ...status, disruptionsAllowed: allowed - 1, disruptedPods },
  };
}

function refused(message: string): Refusal {
  return { ...refusal(429, "TooManyRequests", message), cause: "DisruptionBudget" };
}
