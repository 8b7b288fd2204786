import type { Json, KubeObject } from "#api/core-v1/meta.ts";
import { isKnownKind } from "#api/kinds.ts";
import { parseObject } from "#api/parse.ts";
import { isJsonObject } from "#api/problem.ts";
import { type ObjectProblem, objectProblems } from "#core/object-problem.ts";
import { objectName } from "#core/object-ref.ts";
import type { Resource } from "./resource.ts";
import { trimmed } from "./trimming.ts";

/** One object as the API server sent it, after the door of `api`. */
export interface Admitted {
  /** "namespace/name", or the name: unique in its kind. */
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Absent when the object did not pass. */
  readonly object?: KubeObject;
  readonly problems: readonly ObjectProblem[];
}

/** Items of typed lists lack their kind and version. undefined: this is no object at all. */
export function admit(resource: Resource, raw: unknown): Admitted | undefined {
  if (!isJsonObject(raw) || !isJsonObject(raw.metadata)) return undefined;
  const { kind, apiVersion } = resource;
  const head = { apiVersion, kind, ...raw } as { readonly [key: string]: Json };
  const { name, namespace, uid, resourceVersion } = raw.metadata;
  if (typeof name !== "string") return undefined;
  const key = objectName({ name, ...(typeof namespace === "string" ? { namespace } : {}) });
  const identity = {
    key,
    uid: typeof uid === "string" ? uid : "",
    resourceVersion: typeof resourceVersion === "string" ? resourceVersion : "",
  };
  const light = trimmed(kind, head);
  // Kinds that Outrigger does not read are named only; nothing is done with their content.
  if (!isKnownKind(kind)) return { ...identity, object: light as unknown as KubeObject, problems: [] };
  const parsed = parseObject(light);
  if (parsed.kind === "object") return { ...identity, object: parsed.object, problems: [] };
  const found = parsed.kind === "problems" ? parsed.problems : [];
  return { ...identity, problems: objectProblems(resource, raw, found) };
}
