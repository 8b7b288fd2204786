import type { Pod } from "#api/core-v1/pod.ts";
import type { ReplicaSet } from "#api/core-v1/workload.ts";
import { compileSelector } from "#api/label-selector.ts";
import { type ApiServer, asJson } from "../api-server/api-server.ts";
import { isReady } from "../api-server/eviction.ts";
import type { Parts } from "../parts.ts";
import { Workqueue } from "../workqueue.ts";
import { controllerOf, controllerReference, isActive, podFrom, podsOf, queueWithDependents } from "./ownership.ts";
import { inDeletionOrder } from "./pod-deletion-order.ts";

/** Kubernetes: BurstReplicas, pods made or deleted in one pass. The next pass follows at once. */
const burstMax = 500;

/** Keeps as many active pods as the ReplicaSet asks for; pods without controller that it selects become its own. */
export function startReplicaSets({ api, clock, delays }: Parts): void {
  const orphans = new Map<string, Pod>();
  const queue = new Workqueue(clock, delays.controllerMs, (key) => {
    const replicaSet = api.store.get("ReplicaSet", key);
    if (replicaSet === undefined || replicaSet.metadata.deletionTimestamp !== undefined) return;
    adopt(replicaSet, [...orphans.values()], api);
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
  api.store.listen(({ object, type }) => {
    if (object.kind !== "Pod") return;
    const { namespace, name } = object.metadata;
    const isOrphan = type !== "DELETED" && controllerOf(object) === undefined;
    if (!isOrphan) orphans.delete(`${namespace}/${name}`);
    else orphans.set(`${namespace}/${name}`, object as Pod);
    if (!isOrphan || type !== "ADDED") return;
    for (const { metadata } of api.store.list("ReplicaSet")) {
      if (metadata.namespace === namespace) queue.add(`${namespace}/${metadata.name}`);
    }
  });
}

function adopt(replicaSet: ReplicaSet, orphans: readonly Pod[], api: ApiServer): void {
  if (orphans.length === 0) return;
  const selects = compileSelector(replicaSet.spec.selector);
  for (const pod of orphans) {
    const { name, namespace, labels = {}, ownerReferences = [] } = pod.metadata;
    if (namespace !== replicaSet.metadata.namespace || !isActive(pod) || !selects(labels)) continue;
    const references = [...ownerReferences, controllerReference(replicaSet)];
    api.patch("Pod", name, namespace, { metadata: { ownerReferences: asJson(references) } });
  }
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
