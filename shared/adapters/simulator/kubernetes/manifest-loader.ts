import type { KubeObject } from "#api/core-v1/meta.ts";
import { type Answer, badRequest, type Refusal } from "./api-server/answer.ts";
import type { ApiServer } from "./api-server/api-server.ts";
import { isRecord } from "./api-server/merge-patch.ts";

/** What others refer to comes first. Kinds that are not named come after these, in the order given. */
const loadOrder = [
  "Namespace",
  "PriorityClass",
  "StorageClass",
  "EC2NodeClass",
  "NodePool",
  "PersistentVolume",
  "PersistentVolumeClaim",
  "NodeClaim",
  "CSINode",
  "Node",
];

/** Loads all objects, or none: then the answer says which were refused and why. */
export function loadObjects(api: ApiServer, raws: readonly unknown[]): readonly Refusal[] {
  const sorted = raws
    .map((raw, index) => ({ raw, index, rank: rankOf(raw) }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index);
  const made: KubeObject[] = [];
  const refusals: Refusal[] = [];
  for (const { raw } of sorted) {
    const namespace = namespaceOf(raw);
    if (namespace !== undefined && api.get("Namespace", namespace).kind === "refused") {
      const answer = api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
      if (answer.kind === "ok") made.push(answer.object);
    }
    const answer = restored(api, raw);
    if (answer.kind === "ok") made.push(answer.object);
    else refusals.push(answer);
  }
  if (refusals.length > 0) for (const object of made) api.discard(object);
  return refusals;
}

/** Namespaces and PriorityClasses that a fresh cluster has give way to those of the manifests. */
function restored(api: ApiServer, raw: unknown): Answer {
  if (!isRecord(raw)) return badRequest("the body is not a Kubernetes object");
  const answer = api.restore(raw);
  const replaceable = raw.kind === "Namespace" || raw.kind === "PriorityClass";
  if (answer.kind === "ok" || answer.reason !== "AlreadyExists" || !replaceable) return answer;
  const name = isRecord(raw.metadata) ? String(raw.metadata.name) : "";
  const existing = api.get(String(raw.kind), name);
  if (existing.kind === "ok") api.discard(existing.object);
  return api.restore(raw);
}

function rankOf(raw: unknown): number {
  const rank = isRecord(raw) ? loadOrder.indexOf(String(raw.kind)) : -1;
  return rank < 0 ? loadOrder.length : rank;
}

function namespaceOf(raw: unknown): string | undefined {
  const namespace = isRecord(raw) && isRecord(raw.metadata) ? raw.metadata.namespace : undefined;
  return typeof namespace === "string" ? namespace : undefined;
}
