import type { KubeObject } from "#api/core-v1/meta.ts";
import { parseSelector } from "#api/label-selector.ts";
import { badRequest, expired, type Refusal } from "./answer.ts";
import { parseFieldSelector } from "./field-selector.ts";
import type { Change, Store } from "./store.ts";

export interface Selection {
  readonly namespace?: string;
  /** The API's text forms: `a=b,c in (x,y),!d` and `spec.nodeName=n`. */
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: KubeObject;
}

export type Matcher = { readonly kind: "matcher"; readonly matches: (object: KubeObject) => boolean } | Refusal;

export function matcherOf(kind: string, selection: Selection): Matcher {
  const fields = parseFieldSelector(kind, selection.fieldSelector ?? "");
  if (fields.kind === "problem") return badRequest(fields.message);
  const labels = parseSelector(selection.labelSelector ?? "");
  if (labels.kind === "problem") return badRequest(labels.message);
  const matches = (object: KubeObject): boolean =>
    (selection.namespace === undefined || object.metadata.namespace === selection.namespace) &&
    fields.matches(object) &&
    labels.matches(object.metadata.labels ?? {});
  return { kind: "matcher", matches };
}

export interface Watching {
  readonly kind: "watching";
  readonly stop: () => void;
}

/**
 * Tells `listener` of every change after `fromRevision` (absent: from now on), in order. An object that no longer matches
 * the selection is DELETED for this watch, one that begins to is ADDED. 410 when the revision is forgotten.
 */
export function watchStore(
  store: Store,
  kind: string,
  selection: Selection,
  fromRevision: number | undefined,
  listener: (event: WatchEvent) => void,
): Watching | Refusal {
  const matcher = matcherOf(kind, selection);
  if (matcher.kind === "refused") return matcher;
  const past = fromRevision === undefined ? [] : store.changesSince(fromRevision);
  if (past === undefined) return expired(`too old resource version: ${fromRevision}`);
  const hear = (change: Change): void => {
    const event = change.object.kind === kind ? eventFor(change, matcher.matches) : undefined;
    if (event !== undefined) listener(event);
  };
  for (const change of past) hear(change);
  return { kind: "watching", stop: store.listen(hear) };
}

function eventFor(change: Change, matches: (object: KubeObject) => boolean): WatchEvent | undefined {
  const before = change.previous !== undefined && matches(change.previous);
  const after = change.type !== "DELETED" && matches(change.object);
  if (!before && !after) return undefined;
  return { type: before ? (after ? "MODIFIED" : "DELETED") : "ADDED", object: change.object };
}
