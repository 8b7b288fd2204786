import type { Deployment, ReplicaSet } from "#api/core-v1/workload.ts";
import { sameJson } from "#api/same-json.ts";
import type { ApiServer } from "../api-server/api-server.ts";
import type { Parts } from "../parts.ts";
import { Workqueue } from "../workqueue.ts";
import { controllerOf, controllerReference, queueWithDependents, templateHash } from "./ownership.ts";
import { type ReplicaCount, rollout } from "./rollout.ts";

const hashLabel = "pod-template-hash";
/** Kubernetes: default revisionHistoryLimit. */
const oldReplicaSetsMax = 10;

/** A ReplicaSet for each pod template; pods move from the old ones to the new one as the strategy allows. */
export function startDeployments({ api, clock, delays }: Parts): void {
  const queue = new Workqueue(clock, delays.controllerMs, (key) => {
    const deployment = api.store.get("Deployment", key);
    if (deployment === undefined || deployment.metadata.deletionTimestamp !== undefined) return;
    const owned = replicaSetsOf(deployment, api);
    const current = owned.find((set) => isCurrent(set, deployment)) ?? createReplicaSet(deployment, api);
    if (current === undefined) return;
    const old = owned.filter((set) => set.metadata.uid !== current.metadata.uid);
    const scales = rollout(deployment, countOf(current), old.map(countOf));
    for (const { name, replicas } of scales) api.scale("ReplicaSet", name, deployment.metadata.namespace, replicas);
    forgetOld(old, api);
    api.patchStatus(
      "Deployment",
      deployment.metadata.name,
      deployment.metadata.namespace,
      statusOf(deployment, current, owned),
    );
  });
  queueWithDependents(api, "Deployment", queue);
}

/** Oldest first. */
function replicaSetsOf(deployment: Deployment, api: ApiServer): readonly ReplicaSet[] {
  const uid = deployment.metadata.uid ?? "";
  return api.store
    .ownedBy(uid)
    .filter((object): object is ReplicaSet => object.kind === "ReplicaSet" && controllerOf(object)?.uid === uid)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .sort((a, b) => (ageKey(a) < ageKey(b) ? -1 : 1));
}

function ageKey({ metadata }: ReplicaSet): string {
  return `${metadata.creationTimestamp} ${metadata.name}`;
}

/** Whether the set's template is the deployment's; the label with the hash is the set's own. */
function isCurrent(set: ReplicaSet, deployment: Deployment): boolean {
  const { metadata, spec } = set.spec.template;
  const { [hashLabel]: _hash, ...labels } = metadata?.labels ?? {};
  const template = deployment.spec.template;
  return (
    sameJson(spec, template.spec) &&
    sameJson(labels, template.metadata?.labels ?? {}) &&
    sameJson(metadata?.annotations ?? {}, template.metadata?.annotations ?? {})
  );
}

function createReplicaSet(deployment: Deployment, api: ApiServer): ReplicaSet | undefined {
  const { template, selector } = deployment.spec;
  const hash = templateHash(template);
  const { name, namespace } = deployment.metadata;
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  const answer = api.create({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: `${name}-${hash}`, namespace, labels, ownerReferences: [controllerReference(deployment)] },
    spec: {
      replicas: 0,
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  });
  return answer.kind === "ok" ? (answer.object as ReplicaSet) : undefined;
}

function countOf({ metadata, spec, status }: ReplicaSet): ReplicaCount {
  return {
    name: metadata.name,
    wanted: spec.replicas ?? 1,
    existing: status?.replicas ?? 0,
    available: status?.readyReplicas ?? 0,
  };
}

function forgetOld(old: readonly ReplicaSet[], api: ApiServer): void {
  const empty = old.filter((set) => set.spec.replicas === 0 && (set.status?.replicas ?? 0) === 0);
  for (const set of empty.slice(0, Math.max(0, empty.length - oldReplicaSetsMax))) {
    api.delete("ReplicaSet", set.metadata.name, set.metadata.namespace);
  }
}

function statusOf(
  deployment: Deployment,
  current: ReplicaSet,
  owned: readonly ReplicaSet[],
): { readonly [key: string]: number } {
  const sum = (count: (set: ReplicaSet) => number | undefined): number =>
    owned.reduce((total, set) => total + (count(set) ?? 0), 0);
  const ready = sum((set) => set.status?.readyReplicas);
  return {
    replicas: sum((set) => set.status?.replicas),
    updatedReplicas: current.status?.replicas ?? 0,
    readyReplicas: ready,
    availableReplicas: ready,
    unavailableReplicas: Math.max(0, (deployment.spec.replicas ?? 1) - ready),
    observedGeneration: deployment.metadata.generation ?? 1,
  };
}
