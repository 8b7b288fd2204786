/**
 * Karpenter counterpart: pkg/utils/disruption/disruption.go. No difference.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import { isReschedulable } from "../pod/pod-predicates.ts";

const deletionCostAnnotation = "controller.kubernetes.io/pod-deletion-cost";
/** Karpenter: deletion cost and priority are scaled by these, so that both span about the same range. */
const deletionCostScale = 2 ** 27;
const priorityScale = 2 ** 25;
const evictionCostMax = 10;

/** What evicting the pod costs, −10…10; 1 for a pod that says nothing. */
export function evictionCost(pod: Pod): number {
  const text = pod.metadata.annotations?.[deletionCostAnnotation];
  const deletionCost = text === undefined || text.trim() === "" ? Number.NaN : Number(text);
  const cost =
    1 +
    (Number.isFinite(deletionCost) ? deletionCost / deletionCostScale : 0) +
    (pod.spec.priority ?? 0) / priorityScale;
  return Math.min(Math.max(cost, -evictionCostMax), evictionCostMax);
}

/** What moving a node's pods costs, ≥ 1. */
export function reschedulingCost(pods: readonly Pod[]): number {
  return pods.filter(isReschedulable).reduce((sum, pod) => sum + Math.max(0, evictionCost(pod)), 1);
}

/**
 * No pod on the node weighs anything: there is none that would move, or all of them say by a very low priority or
 * deletion cost that they do not matter.
 */
export function isEmpty(pods: readonly Pod[]): boolean {
  return reschedulingCost(pods) <= 1;
}
