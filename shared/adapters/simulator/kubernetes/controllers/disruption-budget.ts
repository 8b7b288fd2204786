import type { PodDisruptionBudget } from "#api/core-v1/cluster-objects.ts";
import type { KubeObject } from "#api/core-v1/meta.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import type { Deployment } from "#api/core-v1/workload.ts";
import { parseTime } from "#api/time.ts";
import { type ApiServer, asJson } from "../api-server/api-server.ts";
import { type BudgetStatus, budgetsOf, isReady, selectorOf } from "../api-server/eviction.ts";
import type { Parts } from "../parts.ts";
import { Workqueue } from "../workqueue.ts";
import { controllerOf, isTerminal } from "./ownership.ts";
import { shareOf } from "./rollout.ts";

/** Kubernetes: DeletionTimeout; a granted eviction that has not begun by then is forgotten. */
const grantedMsMax = 2 * 60_000;

/** Keeps the status of PodDisruptionBudgets, which the eviction API reads. */
export function startDisruptionBudgets({ api, clock, delays }: Parts): void {
  const queue = new Workqueue(clock, delays.controllerMs, (key) => {
    const budget = api.store.get("PodDisruptionBudget", key);
    if (budget === undefined) return;
    const status = budgetStatus(budget, api, clock.nowMs());
    // Charged pods are a map: an absent name must be taken out by an explicit null.
    const before = (budget.status as BudgetStatus | undefined)?.disruptedPods ?? {};
    const cleared = Object.fromEntries(Object.keys(before).map((name) => [name, null]));
    const disruptedPods = { ...cleared, ...status.disruptedPods };
    api.patchStatus(
      "PodDisruptionBudget",
      budget.metadata.name,
      budget.metadata.namespace,
      asJson({ ...status, disruptedPods }),
    );
    if (Object.keys(status.disruptedPods ?? {}).length > 0) queue.addAfter(key, grantedMsMax);
  });
  api.store.listen(({ object, type }) => {
    for (const budget of budgetsConcerned(object, type === "ADDED", api)) queue.add(keyOf(budget));
  });
}

function budgetsConcerned(object: KubeObject, isNew: boolean, api: ApiServer): readonly KubeObject[] {
  if (object.kind === "PodDisruptionBudget") return [object];
  if (object.kind === "Pod") return budgetsOf(object as Pod, api.store);
  if (isNew || !(object.kind in scaled)) return [];
  return api.store
    .list("PodDisruptionBudget")
    .filter(({ metadata }) => metadata.namespace === object.metadata.namespace);
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** Whose number of replicas a budget may count. */
const scaled: Readonly<Record<string, true>> = { ReplicaSet: true, Deployment: true, StatefulSet: true };

export function budgetStatus(budget: PodDisruptionBudget, api: ApiServer, nowMs: number): BudgetStatus {
  const selects = selectorOf(budget);
  const pods = api.store
    .list("Pod")
    .filter(({ metadata }) => metadata.namespace === budget.metadata.namespace && selects(metadata.labels ?? {}))
    .filter((pod) => !isTerminal(pod));
  const granted = stillGranted(budget, pods, nowMs);
  const healthy = pods.filter(
    (pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined && granted[pod.metadata.name] === undefined,
  );
  const { expected, desired } = expectation(budget, pods, api);
  return {
    expectedPods: expected,
    desiredHealthy: desired,
    currentHealthy: healthy.length,
    disruptionsAllowed: expected <= 0 ? 0 : Math.max(0, healthy.length - desired),
    observedGeneration: budget.metadata.generation ?? 1,
    disruptedPods: granted,
  };
}

/**
 * maxUnavailable and percentages count the replicas that the pods' controllers ask for; a number in minAvailable counts
 * the pods that are there. Percentages round up.
 */
function expectation(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  api: ApiServer,
): { readonly expected: number; readonly desired: number } {
  const { minAvailable, maxUnavailable } = budget.spec;
  if (maxUnavailable !== undefined) {
    const expected = expectedScale(pods, api);
    return { expected, desired: Math.max(0, expected - shareOf(maxUnavailable, expected, Math.ceil)) };
  }
  if (typeof minAvailable === "number") return { expected: pods.length, desired: minAvailable };
  const expected = expectedScale(pods, api);
  return { expected, desired: shareOf(minAvailable ?? 1, expected, Math.ceil) };
}

function expectedScale(pods: readonly Pod[], api: ApiServer): number {
  const replicasByUid = new Map<string, number>();
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (owner === undefined || replicasByUid.has(owner.uid)) continue;
    // Only what has a scale subresource counts: a DaemonSet or a Job has none.
    if (!(owner.kind in scaled)) continue;
    const found = api.get(owner.kind, owner.name, pod.metadata.namespace);
    if (found.kind === "ok") replicasByUid.set(owner.uid, (found.object as Deployment).spec.replicas ?? 1);
  }
  return [...replicasByUid.values()].reduce((sum, replicas) => sum + replicas, 0);
}

function stillGranted(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  nowMs: number,
): Readonly<Record<string, string>> {
  const granted = (budget.status as BudgetStatus | undefined)?.disruptedPods ?? {};
  const waiting = new Set(
    pods.flatMap(({ metadata }) => (metadata.deletionTimestamp === undefined ? [metadata.name] : [])),
  );
  return Object.fromEntries(
    Object.entries(granted).filter(
      ([name, time]) => waiting.has(name) && nowMs < (parseTime(time) ?? 0) + grantedMsMax,
    ),
  );
}
