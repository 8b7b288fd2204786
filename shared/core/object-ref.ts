/**
 * Karpenter counterpart: none; it passes client.Object. Here commands and reasons are data, and point at objects by
 * kind, name and what a write requires of them.
 */
import type { KubeObject } from "#api/core-v1/meta.ts";

/** Kinds that a command may change or a reason may speak of. */
export const objectKinds = [
  "Pod",
  "Node",
  "NodeClaim",
  "NodePool",
  "NodeClass",
  "DaemonSet",
  "PodDisruptionBudget",
  "PersistentVolumeClaim",
  "PersistentVolume",
  "StorageClass",
  "CSINode",
  "VolumeAttachment",
  "Namespace",
  "CapacityBuffer",
  "NodeOverlay",
] as const;
export type ObjectKind = (typeof objectKinds)[number];

/** Points at one object. `uid` and `resourceVersion`, where given, are preconditions of a write. */
export interface ObjectRef {
  readonly kind: ObjectKind;
  /** Only where the kind alone does not say it (node classes of a provider). */
  readonly apiVersion?: string;
  readonly objectKind?: string;
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** The reference of `object` with its UID as precondition, without its resourceVersion. */
export function refOf(kind: ObjectKind, object: KubeObject): ObjectRef {
  const { name, namespace, uid } = object.metadata;
  return {
    kind,
    ...(kind === "NodeClass" ? { apiVersion: object.apiVersion, objectKind: object.kind } : {}),
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
  };
}

/** As refOf, and the write is refused when the object changed since it was read. */
export function lockedRefOf(kind: ObjectKind, object: KubeObject): ObjectRef {
  const { resourceVersion } = object.metadata;
  return { ...refOf(kind, object), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
}

/** "namespace/name", or the name alone for cluster-scoped objects: the form that people read and that orders objects. */
export function objectName(object: { readonly name: string; readonly namespace?: string }): string {
  return object.namespace === undefined ? object.name : `${object.namespace}/${object.name}`;
}
