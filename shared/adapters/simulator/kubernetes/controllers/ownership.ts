import type { KubeObject, OwnerReference } from "#api/core-v1/meta.ts";
import type { Pod, PodSpec, PodTemplateSpec } from "#api/core-v1/pod.ts";
import { stableHash } from "#core/stable-hash.ts";
import type { ApiServer } from "../api-server/api-server.ts";
import type { Workqueue } from "../workqueue.ts";

export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find(({ controller }) => controller === true);
}

export function controllerReference(owner: KubeObject): OwnerReference {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** Pods that `owner` controls, sorted by name. */
export function podsOf(owner: KubeObject, api: ApiServer): readonly Pod[] {
  const uid = owner.metadata.uid ?? "";
  return api.store
    .ownedBy(uid)
    .filter((object): object is Pod => object.kind === "Pod" && controllerOf(object)?.uid === uid)
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

export function isTerminal(pod: Pod): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}

/** Counts as a replica: it has not ended and nobody has begun to delete it. */
export function isActive(pod: Pod): boolean {
  return !isTerminal(pod) && pod.metadata.deletionTimestamp === undefined;
}

export interface PodChanges {
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: Partial<PodSpec>;
}

/** A pod made from a template for `owner`; without a name it gets the owner's with a random end. */
export function podFrom(owner: KubeObject, template: PodTemplateSpec, changes: PodChanges = {}): Pod {
  const { name = "", namespace } = owner.metadata;
  const labels = { ...template.metadata?.labels, ...changes.labels };
  const annotations = { ...template.metadata?.annotations, ...changes.annotations };
  const naming = changes.name === undefined ? { generateName: `${name}-` } : { name: changes.name };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...(naming as { readonly name: string }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ownerReferences: [controllerReference(owner)],
    },
    spec: { ...template.spec, ...changes.spec },
  };
}

/** A name-safe digest of a pod template, as the revision labels of workloads hold. */
export function templateHash(template: PodTemplateSpec): string {
  return stableHash(JSON.stringify(template), 10);
}

/** Queues objects of `kind` when they change, and when an object that one of them controls does. */
export function queueWithDependents(api: ApiServer, kind: string, queue: Workqueue): void {
  api.store.listen(({ object, previous }) => {
    if (object.kind === kind) queue.add(`${object.metadata.namespace}/${object.metadata.name}`);
    const owner = controllerOf(object) ?? (previous === undefined ? undefined : controllerOf(previous));
    if (owner?.kind === kind) queue.add(`${object.metadata.namespace}/${owner.name}`);
  });
}
