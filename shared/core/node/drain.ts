/**
 * Karpenter counterpart: pkg/controllers/node/termination/terminator/terminator.go and eviction.go. It differs: a tick
 * decides for all pods of a node at once, and how long a refused pod pauses comes in as data.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import { parseTime } from "#api/time.ts";
import type { ObjectRef } from "../object-ref.ts";
import { isEvictable, isOwnedByDaemonSet, isTerminating, isWaitingEviction } from "../pod/pod-predicates.ts";

/** Kubernetes: a pod's grace period when it names none. */
const defaultGraceSeconds = 30;
const criticalClasses: readonly string[] = ["system-cluster-critical", "system-node-critical"];

export interface ForcedDeletion {
  readonly pod: Pod;
  readonly gracePeriodSeconds: number;
}

export interface Drain {
  /** All that the node waits for; empty, with no unreadable ones: drained. */
  readonly waiting: readonly Pod[];
  /** Pods on the node of which nothing is known but that they are there; only a deadline ends the wait for them. */
  readonly unreadable: readonly ObjectRef[];
  /** To be evicted now. */
  readonly evict: readonly Pod[];
  /** Past what the deadline leaves them: to be deleted, whatever budgets and annotations say. */
  readonly force: readonly ForcedDeletion[];
  /** Of the tier whose turn it is: not to be evicted, because they ask not to be disrupted. */
  readonly held: readonly Pod[];
}

/** The pods of a node. */
export interface PodsToDrain {
  readonly pods: readonly Pod[];
  readonly unreadable: readonly ObjectRef[];
}

/** What to do with the pods of a node that is going. `deadlineMs`: when it must be gone; undefined for never. */
export function drain({ pods, unreadable }: PodsToDrain, deadlineMs: number | undefined, nowMs: number): Drain {
  const waiting = pods.filter((pod) => isWaitingEviction(pod, nowMs));
  const force = deadlineMs === undefined ? [] : waiting.flatMap((pod) => forced(pod, deadlineMs, nowMs));
  const forcedPods = new Set(force.map(({ pod }) => pod));
  const tier = firstTier(waiting).filter((pod) => !forcedPods.has(pod) && !isTerminating(pod));
  const evict = tier.filter((pod) => isEvictable(pod, nowMs));
  const isOverdue = deadlineMs !== undefined && nowMs >= deadlineMs;
  const held = tier.filter((pod) => !isEvictable(pod, nowMs));
  return { waiting, unreadable: isOverdue ? [] : unreadable, evict, force, held };
}

export function isDrained({ waiting, unreadable }: Drain): boolean {
  return waiting.length === 0 && unreadable.length === 0;
}

/** Ordinary pods leave first, then ordinary daemons, then critical pods, then critical daemons. */
function firstTier(waiting: readonly Pod[]): readonly Pod[] {
  const tiers: readonly [Pod[], Pod[], Pod[], Pod[]] = [[], [], [], []];
  for (const pod of waiting) {
    const isCritical = criticalClasses.includes(pod.spec.priorityClassName ?? "");
    tiers[isCritical ? (isOwnedByDaemonSet(pod) ? 3 : 2) : isOwnedByDaemonSet(pod) ? 1 : 0].push(pod);
  }
  return tiers.find((tier) => tier.length > 0) ?? [];
}

/** A pod with a long grace period is deleted early enough to have it whole; never without any grace. */
function forced(pod: Pod, deadlineMs: number, nowMs: number): readonly ForcedDeletion[] {
  const endMs = parseTime(pod.metadata.deletionTimestamp);
  const isDue = endMs === undefined ? nowMs > deadlineMs - gracePeriodMs(pod) : endMs > deadlineMs;
  const gracePeriodSeconds = Math.max(1, Math.floor((deadlineMs - nowMs) / 1000));
  return isDue ? [{ pod, gracePeriodSeconds }] : [];
}

export function gracePeriodMs(pod: Pod): number {
  return (pod.spec.terminationGracePeriodSeconds ?? defaultGraceSeconds) * 1000;
}

/** When something may change without anybody's doing: a pod's grace ends, or the deadline comes near. */
export function drainAgainAtMs(drained: Drain, deadlineMs: number | undefined, nowMs: number): number | undefined {
  const { waiting, unreadable } = drained;
  const times = waiting.flatMap((pod) => {
    const endMs = parseTime(pod.metadata.deletionTimestamp);
    if (endMs !== undefined) return [endMs];
    return deadlineMs === undefined ? [] : [deadlineMs - gracePeriodMs(pod)];
  });
  if (unreadable.length > 0 && deadlineMs !== undefined) times.push(deadlineMs);
  const ahead = times.filter((ms) => ms > nowMs);
  return ahead.length === 0 ? undefined : Math.min(...ahead) + 1_000;
}
