/**
 * Karpenter counterpart: the status library of operatorpkg (status/condition_set.go), whose semantics users and tools
 * rely on. No difference in what is written; here it is a pure function of the object and the changes.
 */
import type { Condition, ConditionStatus, Json, KubeObject } from "#api/core-v1/meta.ts";
import { isJsonObject } from "#api/problem.ts";
import { sameJson } from "#api/same-json.ts";
import { formatTime } from "#api/time.ts";
import type { PatchStatus } from "./command.ts";
import { lockedRefOf, type ObjectKind } from "./object-ref.ts";
import { byKey, inTurn } from "./order.ts";

/** `dependents` feed the root condition; any other condition type is informational. */
export interface ConditionSet {
  readonly root: string;
  readonly dependents: readonly string[];
}

export interface ConditionChange {
  readonly type: string;
  /** Absent: the condition is removed (informational ones only). */
  readonly status?: ConditionStatus;
  readonly reason?: string;
  readonly message?: string;
}

/** The type of every root condition, and of a Node's own. */
export const ready = "Ready";

type WithConditions = KubeObject & { readonly status?: { readonly conditions?: readonly Condition[] } };

export function conditionOf(object: WithConditions, type: string): Condition | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type);
}

export function isTrue(object: WithConditions, type: string): boolean {
  return conditionOf(object, type)?.status === "True";
}

/**
 * The object's whole list of conditions after `changes`. Missing dependents start Unknown since the object's creation;
 * a transition time moves only with the status; every written condition carries the object's generation; the root is
 * True when all dependents are True at this generation, False when one is False, else Unknown. Root last, the others
 * by transition time, then type.
 */
export function withConditions(
  object: WithConditions,
  set: ConditionSet,
  changes: readonly ConditionChange[],
  nowMs: number,
): readonly Condition[] {
  const generation = object.metadata.generation ?? 1;
  const created = object.metadata.creationTimestamp ?? formatTime(nowMs);
  const now = formatTime(nowMs);
  const byType = new Map<string, Condition>((object.status?.conditions ?? []).map((c) => [c.type, c]));
  for (const type of set.dependents) {
    if (!byType.has(type)) byType.set(type, awaiting(type, created, generation));
  }
  for (const change of changes) applyChange(byType, change, now, generation);
  if (changes.length > 0 && object.metadata.deletionTimestamp !== undefined) {
    for (const [type, condition] of byType) byType.set(type, { ...condition, observedGeneration: generation });
  }
  const root = rootOf(byType, set, now, created, generation);
  byType.delete(set.root);
  const others = [...byType.values()].sort(
    inTurn(
      byKey(({ lastTransitionTime }) => lastTransitionTime),
      byKey(({ type }) => type),
    ),
  );
  return [...others, root];
}

/** What the status of an object is to say: conditions that change, and fields beside them. */
export interface StatusChange {
  /** Without any the conditions stay as they are, the root too. */
  readonly conditions: readonly ConditionChange[];
  /** Whole values; a map takes the place of the present one. */
  readonly fields?: Readonly<Record<string, Json>>;
}

/**
 * The patch that brings the object's status to `change`; undefined when it says that already. It is locked to the version
 * that was read, so within one decision it comes before other writes of the same object.
 */
export function statusPatch(
  kind: ObjectKind,
  object: WithConditions,
  set: ConditionSet,
  change: StatusChange,
  nowMs: number,
): PatchStatus | undefined {
  const before: Readonly<Record<string, unknown>> = { ...object.status };
  const fields = Object.entries(change.fields ?? {})
    .filter(([name, value]) => !sameJson(before[name] ?? null, value))
    .map(([name, value]) => [name, replacing(before[name], value)] as const);
  const current = object.status?.conditions;
  const next = change.conditions.length === 0 ? current : withConditions(object, set, change.conditions, nowMs);
  const conditions = next === undefined || sameConditions(current, next) ? undefined : next.map((one) => ({ ...one }));
  if (fields.length === 0 && conditions === undefined) return undefined;
  return {
    kind: "patch-status",
    target: lockedRefOf(kind, object),
    status: { ...Object.fromEntries(fields), ...(conditions === undefined ? {} : { conditions }) },
  };
}

/** A merge patch merges maps: what is no longer there must be named. */
function replacing(before: unknown, after: Json): Json {
  if (!isJsonObject(before) || !isJsonObject(after)) return after;
  const gone = Object.keys(before).filter((name) => after[name] === undefined);
  return { ...after, ...Object.fromEntries(gone.map((name) => [name, null])) };
}

/** True when writing `next` would change nothing. */
export function sameConditions(current: readonly Condition[] | undefined, next: readonly Condition[]): boolean {
  if (current === undefined || current.length !== next.length) return false;
  const byType = new Map(current.map((condition) => [condition.type, condition]));
  return next.every((condition) => {
    const other = byType.get(condition.type);
    return (
      other !== undefined &&
      other.status === condition.status &&
      other.reason === condition.reason &&
      other.message === condition.message &&
      other.observedGeneration === condition.observedGeneration
    );
  });
}

function awaiting(type: string, since: string, generation: number): Condition {
  return {
    type,
    status: "Unknown",
    reason: "AwaitingReconciliation",
    message: "object is awaiting reconciliation",
    lastTransitionTime: since,
    observedGeneration: generation,
  };
}

function applyChange(byType: Map<string, Condition>, change: ConditionChange, now: string, generation: number): void {
  if (change.status === undefined) {
    byType.delete(change.type);
    return;
  }
  const before = byType.get(change.type);
  byType.set(change.type, {
    type: change.type,
    status: change.status,
    reason: change.reason ?? change.type,
    message: change.message ?? "",
    lastTransitionTime: before?.status === change.status ? before.lastTransitionTime : now,
    observedGeneration: generation,
  });
}

function rootOf(
  byType: ReadonlyMap<string, Condition>,
  set: ConditionSet,
  now: string,
  created: string,
  generation: number,
): Condition {
  const dependents = set.dependents.map((type) => byType.get(type) ?? awaiting(type, created, generation));
  const current = (condition: Condition): boolean => condition.observedGeneration === generation;
  const unhealthy = dependents.filter((condition) => condition.status !== "True" || !current(condition));
  const failed = unhealthy.some((condition) => condition.status === "False" && current(condition));
  const status: ConditionStatus = unhealthy.length === 0 ? "True" : failed ? "False" : "Unknown";
  const before = byType.get(set.root);
  const since = before === undefined ? created : before.status === status ? before.lastTransitionTime : now;
  return {
    type: set.root,
    status,
    reason: status === "True" ? set.root : status === "False" ? "UnhealthyDependents" : "ReconcilingDependents",
    message: unhealthy.map((condition) => `${condition.type}=${condition.status}`).join(", "),
    lastTransitionTime: before === undefined && status !== "Unknown" ? now : since,
    observedGeneration: generation,
  };
}
