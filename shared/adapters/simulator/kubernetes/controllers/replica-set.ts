import type { ReplicaSet } from "#api/core-v1/workload.ts";
import { isReady } from "../api-server/eviction.ts";
import type { Parts } from "../parts.ts";
import { Workqueue } from "../workqueue.ts";
import { isActive, podFrom, podsOf, queueWithDependents } from "./ownership.ts";
import { inDeletionOrder } from "./pod-deletion-order.ts";

/** Kubernetes: BurstReplicas, pods made or deleted in one pass. The next pass follows at once. */
const burstMax = 500;

/** Keeps as many active pods as the ReplicaSet asks for. Pods without owner are not adopted. */
export function startReplicaSets({ api, clock, delays }: Parts): void {
  const queue = new Workqueue(clock, delays.controllerMs, (key) => {
    const replicaSet = api.store.get("ReplicaSet", key);
    if (replicaSet === undefined || replicaSet.metadata.deletionTimestamp !== undefined) return;
    const active = podsOf(replicaSet, api).filter(isActive);
    const missing = (replicaSet.spec.replicas ?? 1) - active.length;
    for (let i = 0; i < Math.min(missing, burstMax); i++) api.create(podFrom(replicaSet, replicaSet.spec.template));
    const surplus = missing < 0 ? inDeletionOrder(active).slice(0, Math.min(-missing, burstMax)) : [];
    for (const pod of surplus) api.delete("Pod", pod.metadata.name, pod.metadata.namespace);
    if (Math.abs(missing) > burstMax) queue.add(key);
    api.patchStatus(
      "ReplicaSet",
      replicaSet.metadata.name,
      replicaSet.metadata.namespace,
      statusOf(replicaSet, active),
    );
  });
  queueWithDependents(api, "ReplicaSet", queue);
}

function statusOf(replicaSet: ReplicaSet, active: ReturnType<typeof podsOf>): { readonly [key: string]: number } {
  const ready = active.filter(isReady).length;
  return {
    replicas: active.length,
    fullyLabeledReplicas: active.length,
    readyReplicas: ready,
    availableReplicas: ready,
    observedGeneration: replicaSet.metadata.generation ?? 1,
  };
}
