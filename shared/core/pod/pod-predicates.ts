/**
 * Karpenter counterpart: pkg/utils/pod/scheduling.go. No difference in the answers; the time comes in as an argument,
 * and an annotation that cannot be read is part of the answer instead of an event.
 */
import type { Pod, Taint, Toleration } from "#api/core-v1/pod.ts";
import { parseDuration } from "#api/duration.ts";
import { doNotDisruptAnnotation } from "#api/karpenter-v1/labels.ts";
import { parseTime } from "#api/time.ts";
import { disruptedTaint, firstUntolerated } from "../scheduling/requirements/taints.ts";

/** Karpenter: a pod that is still there so long after its deletion is stuck and holds nobody up. */
const stuckTerminatingMs = 60_000;

export function isTerminal(pod: Pod): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}

export function isTerminating(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}

export function isActive(pod: Pod): boolean {
  return !isTerminal(pod) && !isTerminating(pod);
}

export function isScheduled(pod: Pod): boolean {
  return pod.spec.nodeName !== undefined && pod.spec.nodeName !== "";
}

/** kube-scheduler found no node for it. Only the reason counts, as in Karpenter. */
export function failedToSchedule(pod: Pod): boolean {
  return (pod.status?.conditions ?? []).some((c) => c.type === "PodScheduled" && c.reason === "Unschedulable");
}

/** kube-scheduler evicts others to make room for it. */
export function isPreempting(pod: Pod): boolean {
  return pod.status?.nominatedNodeName !== undefined && pod.status.nominatedNodeName !== "";
}

export function isOwnedByDaemonSet(pod: Pod): boolean {
  return isOwnedBy(pod, "apps/v1", "DaemonSet");
}

export function isOwnedByStatefulSet(pod: Pod): boolean {
  return isOwnedBy(pod, "apps/v1", "StatefulSet");
}

/** A static pod's mirror: the kubelet owns it, it lives and dies with its node. */
export function isMirror(pod: Pod): boolean {
  return isOwnedBy(pod, "v1", "Node");
}

/** Waits for a node that does not exist yet: demand. */
export function isProvisionable(pod: Pod): boolean {
  return failedToSchedule(pod) && !isScheduled(pod) && !isPreempting(pod) && !isOwnedByDaemonSet(pod) && !isMirror(pod);
}

/** Comes back elsewhere when its node goes. */
export function isReschedulable(pod: Pod): boolean {
  const returns = isActive(pod) || (isOwnedByStatefulSet(pod) && isTerminating(pod));
  return returns && !isOwnedByDaemonSet(pod) && !isMirror(pod);
}

/** May be evicted now, budgets apart. */
export function isEvictable(pod: Pod, nowMs: number): boolean {
  return isActive(pod) && !toleratesDisruption(pod) && !isMirror(pod) && !isProtected(pod, nowMs);
}

/** A drain waits for it. Pods that ask not to be disrupted are among them: they hold the drain up. */
export function isDrainable(pod: Pod, nowMs: number): boolean {
  return !toleratesDisruption(pod) && !isStuckTerminating(pod, nowMs) && !isMirror(pod);
}

export function isStuckTerminating(pod: Pod, nowMs: number): boolean {
  const deletedMs = parseTime(pod.metadata.deletionTimestamp);
  return deletedMs !== undefined && nowMs - deletedMs > stuckTerminatingMs;
}

export function isWaitingEviction(pod: Pod, nowMs: number): boolean {
  return !isTerminal(pod) && isDrainable(pod, nowMs);
}

/** Does not keep its node from being disrupted, budgets apart. */
export function isDisruptable(pod: Pod, nowMs: number): boolean {
  return !isActive(pod) || !isProtected(pod, nowMs);
}

/** Tolerates the taint that a disrupted node gets, so draining leaves it alone. */
export function toleratesDisruption(pod: Pod): boolean {
  return toleratesTaint(pod.spec.tolerations, disruptedTaint);
}

export type DoNotDisrupt =
  | { readonly kind: "none" }
  /** For good, or until `untilMs`. */
  | { readonly kind: "active"; readonly untilMs?: number }
  | { readonly kind: "elapsed"; readonly sinceMs: number }
  /** Neither `true` nor a positive duration: it protects nothing, and the user should hear of it. */
  | { readonly kind: "invalid"; readonly value: string };

/** What the annotation karpenter.sh/do-not-disrupt says now: `true`, or a Go duration counted from the pod's start. */
export function doNotDisrupt(pod: Pod, nowMs: number): DoNotDisrupt {
  const value = pod.metadata.annotations?.[doNotDisruptAnnotation];
  if (value === undefined) return { kind: "none" };
  if (value === "true") return { kind: "active" };
  const durationMs = parseDuration(value);
  if (durationMs === undefined || durationMs <= 0) return { kind: "invalid", value };
  const startMs = parseTime(pod.status?.startTime);
  if (startMs === undefined) return { kind: "active" };
  const untilMs = startMs + durationMs;
  return nowMs < untilMs ? { kind: "active", untilMs } : { kind: "elapsed", sinceMs: untilMs };
}

function isProtected(pod: Pod, nowMs: number): boolean {
  return doNotDisrupt(pod, nowMs).kind === "active";
}

function toleratesTaint(tolerations: readonly Toleration[] | undefined, taint: Taint): boolean {
  return firstUntolerated([taint], tolerations) === undefined;
}

function isOwnedBy(pod: Pod, apiVersion: string, kind: string): boolean {
  return (pod.metadata.ownerReferences ?? []).some((owner) => owner.apiVersion === apiVersion && owner.kind === kind);
}
