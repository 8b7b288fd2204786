import type { Pod } from "#api/core-v1/pod.ts";
import type { StatefulSet } from "#api/core-v1/workload.ts";
import type { ApiServer } from "../api-server/api-server.ts";
import { isReady } from "../api-server/eviction.ts";
import type { Parts } from "../parts.ts";
import { Workqueue } from "../workqueue.ts";
import { isTerminal, podFrom, podsOf, queueWithDependents, templateHash } from "./ownership.ts";

const revisionLabel = "controller-revision-hash";
const ownRevision = /-[0-9a-z]{10}s$/;

/** Fields of a StatefulSet that Outrigger never reads. */
interface StatefulSpec {
  readonly serviceName?: string;
  readonly podManagementPolicy?: string;
  readonly updateStrategy?: { readonly type?: string };
  readonly volumeClaimTemplates?: readonly { readonly metadata?: { readonly name?: string }; readonly spec: object }[];
}

/**
 * Pods with sticky names and claims. OrderedReady (the default): one at a time, upwards when all before it are ready,
 * downwards when all after it are gone. A pod on its way out keeps its name until it is gone. RollingUpdate replaces
 * outdated pods one at a time from the highest ordinal.
 */
export function startStatefulSets({ api, clock, delays }: Parts): void {
  const queue = new Workqueue(clock, delays.controllerMs, (key) => {
    const set = api.store.get("StatefulSet", key);
    if (set === undefined || set.metadata.deletionTimestamp !== undefined) return;
    const pods = new Map(podsOf(set, api).map((pod) => [ordinalOf(pod), pod]));
    reconcile(set, pods, api);
    api.patchStatus("StatefulSet", set.metadata.name, set.metadata.namespace, statusOf(set, podsOf(set, api)));
  });
  queueWithDependents(api, "StatefulSet", queue);
}

function reconcile(set: StatefulSet, pods: ReadonlyMap<number, Pod>, api: ApiServer): void {
  const replicas = set.spec.replicas ?? 1;
  const parallel = (set.spec as StatefulSpec).podManagementPolicy === "Parallel";
  for (let ordinal = 0; ordinal < replicas; ordinal++) {
    const pod = pods.get(ordinal);
    if (pod === undefined) createPod(set, ordinal, api);
    else if (isTerminal(pod)) remove(pod, api);
    if (!parallel && (pod === undefined || !isHealthy(pod))) return;
  }
  const surplus = [...pods].filter(([ordinal]) => ordinal >= replicas).sort(([a], [b]) => b - a);
  for (const [, pod] of surplus) {
    if (pod.metadata.deletionTimestamp === undefined) remove(pod, api);
    if (!parallel) return;
  }
  updateOne(set, pods, replicas, api);
}

function updateOne(set: StatefulSet, pods: ReadonlyMap<number, Pod>, replicas: number, api: ApiServer): void {
  if ((set.spec as StatefulSpec).updateStrategy?.type === "OnDelete") return;
  const revision = revisionOf(set);
  for (let ordinal = replicas - 1; ordinal >= 0; ordinal--) {
    const pod = pods.get(ordinal);
    if (pod === undefined || !isHealthy(pod)) return;
    const known = pod.metadata.labels?.[revisionLabel];
    // A revision that another cluster's controller wrote cannot be compared with ours: such a pod stays.
    if (known === undefined || known === revision || !ownRevision.test(known)) continue;
    remove(pod, api);
    return;
  }
}

function revisionOf(set: StatefulSet): string {
  return `${set.metadata.name}-${templateHash(set.spec.template)}s`;
}

function createPod(set: StatefulSet, ordinal: number, api: ApiServer): void {
  const name = `${set.metadata.name}-${ordinal}`;
  const templates = (set.spec as StatefulSpec).volumeClaimTemplates ?? [];
  const volumes = templates.map((template) => {
    const volume = template.metadata?.name ?? "data";
    const claimName = `${volume}-${name}`;
    // 409 is the usual case: a claim outlives its pod.
    api.create({
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: claimName, namespace: set.metadata.namespace },
      spec: template.spec,
    });
    return { name: volume, persistentVolumeClaim: { claimName } };
  });
  const others = (set.spec.template.spec.volumes ?? []).filter(
    (volume) => !volumes.some(({ name: n }) => n === volume.name),
  );
  const labels = {
    "statefulset.kubernetes.io/pod-name": name,
    "apps.kubernetes.io/pod-index": String(ordinal),
    [revisionLabel]: revisionOf(set),
  };
  api.create(podFrom(set, set.spec.template, { name, labels, spec: { volumes: [...others, ...volumes] } }));
}

function isHealthy(pod: Pod): boolean {
  return isReady(pod) && pod.metadata.deletionTimestamp === undefined && !isTerminal(pod);
}

function remove(pod: Pod, api: ApiServer): void {
  api.delete("Pod", pod.metadata.name, pod.metadata.namespace);
}

function ordinalOf(pod: Pod): number {
  return Number(/-(\d+)$/.exec(pod.metadata.name)?.[1] ?? -1);
}

function statusOf(set: StatefulSet, pods: readonly Pod[]): { readonly [key: string]: number | string } {
  const ready = pods.filter(isHealthy).length;
  return {
    replicas: pods.length,
    readyReplicas: ready,
    availableReplicas: ready,
    currentReplicas: pods.length,
    updateRevision: revisionOf(set),
    observedGeneration: set.metadata.generation ?? 1,
  };
}
