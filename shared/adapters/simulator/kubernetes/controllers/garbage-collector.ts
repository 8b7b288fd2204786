import type { KubeObject } from "#api/core-v1/meta.ts";
import type { ApiServer } from "../api-server/api-server.ts";
import { orphanFinalizer } from "../api-server/deletion.ts";
import type { Parts } from "../parts.ts";
import { Workqueue } from "../workqueue.ts";

/**
 * Background garbage collection: when an owner is gone, an object all of whose owners are gone is deleted, and one that
 * has others left loses the reference. Objects that came with owners nobody has ever seen (a manifest of live pods
 * without their ReplicaSet) stay. Namespaces on their way out take what is in them along.
 */
export function startGarbageCollector({ api, clock, delays }: Parts): void {
  const gone = new Set<string>();
  const owners = new Workqueue(clock, delays.controllerMs, (uid) => {
    gone.add(uid);
    for (const dependent of api.store.ownedBy(uid)) release(dependent, gone, api);
  });
  const orphans = new Workqueue(clock, delays.controllerMs, (key) => orphanDependents(key, api));
  const namespaces = new Workqueue(clock, delays.controllerMs, (name) => empty(name, api));
  api.store.listen(({ object, type }) => {
    const { uid, finalizers = [], deletionTimestamp, name, namespace } = object.metadata;
    if (type === "DELETED" && object.kind === "Namespace") namespaces.add(name);
    if (type === "DELETED") {
      if (uid !== undefined && object.kind !== "Event") owners.add(uid);
    } else if (deletionTimestamp !== undefined && finalizers.includes(orphanFinalizer)) {
      orphans.add(`${object.kind} ${namespace ?? ""} ${name}`);
    }
  });
}

function release(dependent: KubeObject, gone: ReadonlySet<string>, api: ApiServer): void {
  const { name, namespace, ownerReferences = [], resourceVersion = "" } = dependent.metadata;
  const left = ownerReferences.filter(({ uid }) => !gone.has(uid));
  if (left.length === 0) api.delete(dependent.kind, name, namespace);
  else {
    const references = left.map((reference) => ({ ...reference }));
    api.patch(dependent.kind, name, namespace, { metadata: { ownerReferences: references, resourceVersion } });
  }
}

function orphanDependents(key: string, api: ApiServer): void {
  const [kind = "", namespace = "", name = ""] = key.split(" ");
  const found = api.get(kind, name, namespace === "" ? undefined : namespace);
  if (found.kind === "refused") return;
  const { uid = "", finalizers = [] } = found.object.metadata;
  for (const dependent of api.store.ownedBy(uid)) {
    const { ownerReferences = [] } = dependent.metadata;
    const left = ownerReferences.filter((reference) => reference.uid !== uid).map((reference) => ({ ...reference }));
    api.patch(dependent.kind, dependent.metadata.name, dependent.metadata.namespace, {
      metadata: { ownerReferences: left },
    });
  }
  const kept = finalizers.filter((finalizer) => finalizer !== orphanFinalizer);
  api.patch(kind, name, namespace === "" ? undefined : namespace, { metadata: { finalizers: kept } });
}

/** Simpler than Kubernetes: the namespace is gone first, and what was in it follows. */
function empty(namespace: string, api: ApiServer): void {
  for (const { kind, namespaced } of api.kinds()) {
    if (!namespaced) continue;
    for (const { metadata } of api.store.list(kind)) {
      if (metadata.namespace === namespace) api.delete(kind, metadata.name, namespace);
    }
  }
}
