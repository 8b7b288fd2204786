import type { KubeObject, ObjectMeta } from "#api/core-v1/meta.ts";
import { parseObject } from "#api/parse.ts";
import { formatTime } from "#api/time.ts";
import { admit } from "./admission.ts";
import { type FieldProblem, invalid, type Refusal, refusal } from "./answer.ts";
import type { Identity } from "./identity.ts";
import { isRecord } from "./merge-patch.ts";
import type { ResourceKind } from "./resource-kinds.ts";
import type { Store } from "./store.ts";

export interface CreationContext {
  readonly store: Store;
  readonly identity: Identity;
  readonly nowMs: number;
}

/**
 * The object that a create stores: through the door of `api` (defaults, validation), through admission, with name, UID,
 * time and generation. `restored` objects come from a backup: they keep UID, creation time and status.
 */
export function created(
  kind: ResourceKind,
  raw: Readonly<Record<string, unknown>>,
  restored: boolean,
  context: CreationContext,
): KubeObject | Refusal {
  const parsed = throughDoor(kind, named(kind, raw, context.identity));
  if (isRefusal(parsed)) return parsed;
  const admitted = admit(parsed, context.store);
  if (isRefusal(admitted)) return admitted;
  const { status, ...rest } = admitted as KubeObject & { readonly status?: unknown };
  const keepsStatus = restored || !kind.status || kind.keepsStatusOnCreate === true;
  const kept = (keepsStatus ? status : undefined) ?? firstStatus(kind, admitted, context.nowMs);
  const metadata = stampedMetadata(kind, parsed.metadata, admitted.metadata, restored, context);
  const object = { ...rest, metadata };
  return kept === undefined ? object : { ...object, ...{ status: kept } };
}

/** Parses and validates; kinds that the door does not know are checked for their metadata only. */
export function throughDoor(kind: ResourceKind, raw: Readonly<Record<string, unknown>>): KubeObject | Refusal {
  const parsed = parseObject(raw);
  if (parsed.kind === "object") return parsed.object;
  if (parsed.kind === "problems") return invalid(kind.kind, nameIn(raw), parsed.problems);
  const problems = metadataProblems(raw);
  if (problems.length > 0) return invalid(kind.kind, nameIn(raw), problems);
  return raw as unknown as KubeObject;
}

export function isRefusal(value: KubeObject | Refusal): value is Refusal {
  return value.kind === "refused";
}

function named(
  kind: ResourceKind,
  raw: Readonly<Record<string, unknown>>,
  identity: Identity,
): Readonly<Record<string, unknown>> {
  const metadata = isRecord(raw.metadata) ? raw.metadata : {};
  const prefix = metadata.generateName;
  const name =
    metadata.name === undefined && typeof prefix === "string" ? { name: identity.generatedName(prefix) } : {};
  const namespace = kind.namespaced && metadata.namespace === undefined ? { namespace: "default" } : {};
  return { ...raw, metadata: { ...metadata, ...name, ...namespace } };
}

function nameIn(raw: Readonly<Record<string, unknown>>): string {
  const name = isRecord(raw.metadata) ? raw.metadata.name : undefined;
  return typeof name === "string" ? name : "";
}

function metadataProblems(raw: Readonly<Record<string, unknown>>): readonly FieldProblem[] {
  return nameIn(raw) === "" ? [{ field: "metadata.name", message: "is required" }] : [];
}

function stampedMetadata(
  kind: ResourceKind,
  given: ObjectMeta,
  admitted: ObjectMeta,
  restored: boolean,
  context: CreationContext,
): ObjectMeta {
  const kept = withoutServerFields(admitted);
  if (restored) for (const uid of uidsIn(given)) context.identity.avoid(uid);
  return {
    ...kept,
    ...(restored ? deletionIn(kind, given) : {}),
    uid: (restored ? given.uid : undefined) ?? context.identity.uid(),
    creationTimestamp: (restored ? given.creationTimestamp : undefined) ?? formatTime(context.nowMs),
    ...(kind.generation ? { generation: (restored ? given.generation : undefined) ?? 1 } : {}),
  };
}

/** Its own and its owners': an owner that is not there must not come to life in another object. */
function uidsIn({ uid, ownerReferences = [] }: ObjectMeta): readonly string[] {
  return [...(uid === undefined ? [] : [uid]), ...ownerReferences.map((owner) => owner.uid)];
}

/** Kubernetes: DefaultTerminationGracePeriodSeconds. */
const defaultGraceSeconds = 30;

/**
 * A restored object stays on its way out. What nothing holds (no finalizer, and no kubelet that has still to stop it)
 * would be gone already: it was brought back on purpose.
 */
function deletionIn(kind: ResourceKind, given: ObjectMeta): Partial<ObjectMeta> {
  const { deletionTimestamp, deletionGracePeriodSeconds = defaultGraceSeconds, finalizers = [] } = given;
  if (deletionTimestamp === undefined || (kind.kind !== "Pod" && finalizers.length === 0)) return {};
  return kind.kind === "Pod" ? { deletionTimestamp, deletionGracePeriodSeconds } : { deletionTimestamp };
}

/** Without the fields that only the server sets. */
function withoutServerFields(metadata: ObjectMeta): ObjectMeta {
  const { resourceVersion: _version, deletionTimestamp: _time, deletionGracePeriodSeconds: _grace, ...kept } = metadata;
  const { generation: _generation, ...rest } = kept;
  return rest;
}

function firstStatus(kind: ResourceKind, object: KubeObject, nowMs: number): object | undefined {
  switch (kind.kind) {
    case "Pod":
      return firstPodStatus(object, nowMs);
    case "Namespace":
      return { phase: "Active" };
    case "PersistentVolumeClaim":
    case "PersistentVolume":
      return { phase: "Pending" };
    default:
      return undefined;
  }
}

function firstPodStatus(object: KubeObject, nowMs: number): object {
  const spec = (object as { readonly spec?: { readonly schedulingGates?: readonly unknown[] } }).spec;
  if ((spec?.schedulingGates ?? []).length === 0) return { phase: "Pending" };
  const gated = {
    type: "PodScheduled",
    status: "False",
    reason: "SchedulingGated",
    message: "the pod has scheduling gates",
    lastTransitionTime: formatTime(nowMs),
  };
  return { phase: "Pending", conditions: [gated] };
}

/** The namespace that a namespaced object goes into must be there and not on its way out. */
export function namespaceProblem(namespace: string, store: Store): Refusal | undefined {
  const found = store.get("Namespace", namespace);
  if (found === undefined) return refusal(404, "NotFound", `namespaces "${namespace}" not found`);
  if (found.metadata.deletionTimestamp === undefined) return undefined;
  return refusal(403, "Forbidden", `namespace ${namespace} is being terminated; nothing new can be created in it`);
}
