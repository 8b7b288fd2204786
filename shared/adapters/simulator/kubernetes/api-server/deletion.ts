import type { KubeObject, ObjectMeta } from "#api/core-v1/meta.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import { formatTime } from "#api/time.ts";
import { conflict, type Refusal } from "./answer.ts";

export interface DeleteOptions {
  /** Preconditions: 409 when the object is another one or another version. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** Pods only: overrides the pod's own grace period; 0 removes at once. */
  readonly gracePeriodSeconds?: number;
  /** `Orphan` cuts the owner references of dependents instead of deleting them. */
  readonly propagationPolicy?: "Background" | "Orphan";
}

/** Refuses when the object is not the one, or not the version, that the caller means. */
export function deletionRefusal(plural: string, object: KubeObject, options: DeleteOptions): Refusal | undefined {
  const { uid, resourceVersion, name } = object.metadata;
  if (options.uid !== undefined && options.uid !== uid) {
    return conflict(plural, name, `the precondition names UID ${options.uid}, the object has ${uid}`);
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion) {
    const why = `the precondition names version ${options.resourceVersion}, the object has ${resourceVersion}`;
    return conflict(plural, name, why);
  }
  return undefined;
}

/** What a deletion makes of an object: nothing is left (`gone`), or it stays and waits. */
export type Deletion = { readonly kind: "gone" } | { readonly kind: "waits"; readonly object: KubeObject };

/** Pods without their own grace period have 30 s. Kubernetes: DefaultTerminationGracePeriodSeconds. */
const defaultGraceSeconds = 30;

/**
 * Deletion as the API server does it. A pod that runs on a node gets its grace period, and kubelet removes it; a pod that
 * is not bound, or has ended, goes at once. Everything with finalizers waits for them. The first deletion counts as a
 * change of the specification.
 */
export function deletionOf(given: KubeObject, options: DeleteOptions, nowMs: number): Deletion {
  const object = options.propagationPolicy === "Orphan" ? withOrphanFinalizer(given) : given;
  const graceSeconds = object.kind === "Pod" ? podGraceSeconds(object as Pod, options) : 0;
  const { deletionGracePeriodSeconds: before } = object.metadata;
  if (graceSeconds === 0 && (object.metadata.finalizers ?? []).length === 0) return { kind: "gone" };
  if (object.metadata.deletionTimestamp !== undefined && graceSeconds >= (before ?? 0))
    return { kind: "waits", object };
  return { kind: "waits", object: { ...object, metadata: marked(object.metadata, graceSeconds, nowMs) } };
}

/** An object whose deletion has begun and for which nobody needs it any more. */
export function mayGo(object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  return deletionTimestamp !== undefined && (deletionGracePeriodSeconds ?? 0) === 0 && (finalizers ?? []).length === 0;
}

/** The garbage collector cuts the owner references before it takes this finalizer off. */
export const orphanFinalizer = "orphan";

function withOrphanFinalizer(object: KubeObject): KubeObject {
  const finalizers = object.metadata.finalizers ?? [];
  if (finalizers.includes(orphanFinalizer)) return object;
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, orphanFinalizer] } };
}

function podGraceSeconds(pod: Pod, options: DeleteOptions): number {
  const ended = pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
  if (pod.spec.nodeName === undefined || ended) return 0;
  return Math.max(0, options.gracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? defaultGraceSeconds);
}

function marked(metadata: ObjectMeta, graceSeconds: number, nowMs: number): ObjectMeta {
  const first = metadata.deletionTimestamp === undefined;
  return {
    ...metadata,
    ...(first && metadata.generation !== undefined ? { generation: metadata.generation + 1 } : {}),
    deletionTimestamp: formatTime(nowMs + graceSeconds * 1000),
    deletionGracePeriodSeconds: graceSeconds,
  };
}
