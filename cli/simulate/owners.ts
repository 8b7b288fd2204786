import type { KubeObject, OwnerReference } from "#api/core-v1/meta.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import type { Deployment, ReplicaSet } from "#api/core-v1/workload.ts";
import { compileSelector } from "#api/label-selector.ts";

const hashLabel = "pod-template-hash";
/** On the template of a ReplicaSet that is made here for an older revision: its own template is not known. */
const olderRevisionAnnotation = "simulator.outrigger.dev/older-revision";

export interface OwnedObjects {
  readonly objects: readonly KubeObject[];
  readonly notes: readonly string[];
}

/**
 * Live pods and the manifests of their workloads, put together: a workload without UID (a file, not a dump) gets the one
 * by which its dependents name it, and ReplicaSets that pods name and that are not among the manifests are made for the
 * Deployment that selects the pods. Else a Deployment beside its own pods would make them a second time.
 */
export function withOwners(given: readonly KubeObject[]): OwnedObjects {
  const objects = withKnownUids(given);
  const uids = new Set(objects.map(({ metadata }) => metadata.uid));
  const orphans = objects.filter(isPod).flatMap((pod) => {
    const owner = controllerOf(pod);
    return owner?.kind === "ReplicaSet" && !uids.has(owner.uid) ? [{ pod, owner }] : [];
  });
  const deployments = objects.filter((object): object is Deployment => object.kind === "Deployment");
  const made: ReplicaSet[] = [];
  const notes: string[] = [];
  const lastOf = new Map<string, string>();
  // Youngest first: the first set of a Deployment is of its present template.
  for (const group of grouped(orphans)) {
    const { owner, pods } = group;
    const deployment = deployments.find((one) => pods.every((pod) => isSelected(pod, one)));
    const count = pods.length === 1 ? "1 pod" : `${pods.length} pods`;
    if (deployment === undefined) {
      notes.push(
        `ReplicaSet/${owner.name} is not among the manifests: nobody makes its ${count} again after an eviction`,
      );
      continue;
    }
    const uid = uidOf(deployment);
    made.push(replicaSetOf(deployment, uid, group, lastOf.has(uid)));
    lastOf.set(uid, owner.name);
    notes.push(
      `ReplicaSet/${owner.name} of Deployment/${deployment.metadata.name} is not among the manifests: it is made for its ${count}`,
    );
  }
  const named = objects.map((object) =>
    object.kind === "Deployment" && lastOf.has(uidOf(object)) ? withUid(object, uidOf(object)) : object,
  );
  return { objects: [...named, ...made], notes };
}

interface Group {
  readonly owner: OwnerReference;
  readonly pods: readonly Pod[];
}

/** Those of the youngest pods first. */
function grouped(orphans: readonly { readonly pod: Pod; readonly owner: OwnerReference }[]): readonly Group[] {
  const groups = new Map<string, { readonly owner: OwnerReference; readonly pods: Pod[] }>();
  for (const { pod, owner } of orphans) {
    const group = groups.get(owner.uid) ?? { owner, pods: [] };
    groups.set(owner.uid, group);
    group.pods.push(pod);
  }
  const youngest = ({ pods }: Group): string =>
    pods
      .map(({ metadata }) => metadata.creationTimestamp ?? "")
      .sort()
      .at(-1) ?? "";
  return [...groups.values()].sort((a, b) => (youngest(a) > youngest(b) ? -1 : 1));
}

function replicaSetOf(deployment: Deployment, uid: string, { owner, pods }: Group, isOlder: boolean): ReplicaSet {
  const { template, selector } = deployment.spec;
  const hash = pods[0]?.metadata.labels?.[hashLabel];
  const hashed = hash === undefined ? {} : { [hashLabel]: hash };
  const labels = { ...template.metadata?.labels, ...hashed };
  const annotations = {
    ...template.metadata?.annotations,
    ...(isOlder ? { [olderRevisionAnnotation]: owner.name } : {}),
  };
  const { name, namespace = "default" } = deployment.metadata;
  const controller = { apiVersion: "apps/v1", kind: "Deployment", name, uid, controller: true };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: owner.name, namespace, uid: owner.uid, labels, ownerReferences: [controller] },
    spec: {
      replicas: pods.length,
      selector: { ...selector, matchLabels: { ...selector.matchLabels, ...hashed } },
      template: {
        ...template,
        metadata: { ...template.metadata, labels, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) },
      },
    },
  };
}

function isSelected({ metadata }: Pod, { metadata: of, spec }: Deployment): boolean {
  const here = (metadata.namespace ?? "default") === (of.namespace ?? "default");
  return here && compileSelector(spec.selector)(metadata.labels ?? {});
}

function withKnownUids(objects: readonly KubeObject[]): readonly KubeObject[] {
  const named = new Map<string, string>();
  for (const { metadata } of objects) {
    for (const { kind, name, uid } of metadata.ownerReferences ?? []) {
      // Owners of namespaced objects are in the same namespace, or in none.
      for (const namespace of [metadata.namespace ?? "", ""]) named.set(`${kind} ${namespace} ${name}`, uid);
    }
  }
  return objects.map((object) => {
    const { uid, name, namespace = "" } = object.metadata;
    const known = uid === undefined ? named.get(`${object.kind} ${namespace} ${name}`) : undefined;
    return known === undefined ? object : withUid(object, known);
  });
}

function withUid(object: KubeObject, uid: string): KubeObject {
  return object.metadata.uid === uid ? object : { ...object, metadata: { ...object.metadata, uid } };
}

/** Its own; else one that no other object has. */
function uidOf({ kind, metadata }: KubeObject): string {
  return metadata.uid ?? `${kind}/${metadata.namespace ?? "default"}/${metadata.name}`;
}

function isPod(object: KubeObject): object is Pod {
  return object.kind === "Pod";
}

export function controllerOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}
