import type { KubeObject, ObjectMeta } from "#api/core-v1/meta.ts";
import { sameJson } from "#api/same-json.ts";
import { changedSinceRead, conflict, type FieldProblem, invalid, type Refusal } from "./answer.ts";
import { isRefusal, throughDoor } from "./creation.ts";
import { isRecord, mergePatch } from "./merge-patch.ts";
import type { ResourceKind } from "./resource-kinds.ts";
import { type Subresource, updateProblems } from "./update-rules.ts";

interface Preconditions {
  readonly uid?: unknown;
  readonly resourceVersion?: unknown;
}

/**
 * The object after a merge patch, or why the server refuses it. A `resourceVersion` in the patch must be the current one
 * (409); a `uid` must be the object's (422). A plain patch leaves status alone; a status patch leaves the rest alone; a binding
 * writes a pod's node and condition in one.
 * Answers `current` itself when the patch changes nothing.
 */
export function patched(
  kind: ResourceKind,
  current: KubeObject,
  patch: unknown,
  subresource: Subresource | undefined,
): KubeObject | Refusal {
  const refused = preconditionRefusal(kind, current, patch);
  if (refused !== undefined) return refused;
  const merged = mergePatch(current, patch) as KubeObject & { readonly status?: unknown };
  const next = composed(kind, current, merged, subresource);
  if (sameJson(current, next)) return current;
  const problems = metadataProblems(current, next);
  if (problems.length > 0) return invalid(kind.kind, current.metadata.name, problems);
  const parsed = throughDoor(kind, next as unknown as Readonly<Record<string, unknown>>);
  if (isRefusal(parsed)) return parsed;
  const forbidden = updateProblems(kind, current, parsed, subresource);
  if (forbidden.length > 0) return invalid(kind.kind, current.metadata.name, forbidden);
  return countedGeneration(kind, current, parsed);
}

function preconditionRefusal(kind: ResourceKind, current: KubeObject, patch: unknown): Refusal | undefined {
  const metadata: Preconditions = isRecord(patch) && isRecord(patch.metadata) ? patch.metadata : {};
  const { name } = current.metadata;
  if (metadata.uid !== undefined && metadata.uid !== current.metadata.uid) {
    return invalid(kind.kind, name, [{ field: "metadata.uid", message: "is immutable, and this object has another" }]);
  }
  if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== current.metadata.resourceVersion) {
    return conflict(kind.plural, name, changedSinceRead);
  }
  return undefined;
}

function composed(
  kind: ResourceKind,
  current: KubeObject,
  merged: KubeObject & { readonly status?: unknown },
  subresource: Subresource | undefined,
): KubeObject {
  const { status: currentStatus, ...currentRest } = current as KubeObject & { readonly status?: unknown };
  if (subresource === "status") {
    return (merged.status === undefined ? currentRest : { ...currentRest, status: merged.status }) as KubeObject;
  }
  const { status: mergedStatus, ...mergedRest } = merged;
  const status = kind.status && subresource !== "binding" ? currentStatus : mergedStatus;
  const rest = {
    ...mergedRest,
    apiVersion: current.apiVersion,
    kind: current.kind,
    metadata: keptMetadata(current.metadata, isRecord(merged.metadata) ? merged.metadata : current.metadata),
  };
  return (status === undefined ? rest : { ...rest, status }) as KubeObject;
}

/** What a client may change in metadata is labels, annotations, finalizers, owners; the server's own fields stay. */
function keptMetadata(current: ObjectMeta, merged: ObjectMeta): ObjectMeta {
  const { labels, annotations, finalizers, ownerReferences } = merged;
  const { labels: _l, annotations: _a, finalizers: _f, ownerReferences: _o, ...server } = current;
  return {
    ...server,
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(finalizers === undefined || finalizers.length === 0 ? {} : { finalizers }),
    ...(ownerReferences === undefined || ownerReferences.length === 0 ? {} : { ownerReferences }),
  };
}

function metadataProblems(current: KubeObject, next: KubeObject): readonly FieldProblem[] {
  if (current.metadata.deletionTimestamp === undefined) return [];
  const before = current.metadata.finalizers ?? [];
  const added = (next.metadata.finalizers ?? []).filter((finalizer) => !before.includes(finalizer));
  if (added.length === 0) return [];
  return [
    {
      field: "metadata.finalizers",
      message: `no finalizer can be added while the object is being deleted: ${added.join(", ")}`,
    },
  ];
}

function countedGeneration(kind: ResourceKind, current: KubeObject, next: KubeObject): KubeObject {
  if (!kind.generation || sameJson(specificationOf(current), specificationOf(next))) return next;
  return { ...next, metadata: { ...next.metadata, generation: (current.metadata.generation ?? 0) + 1 } };
}

function specificationOf(object: KubeObject): unknown {
  const {
    metadata: _metadata,
    status: _status,
    ...specification
  } = object as KubeObject & { readonly status?: unknown };
  return specification;
}
