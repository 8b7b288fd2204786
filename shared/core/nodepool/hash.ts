/**
 * Karpenter counterpart: pkg/apis/v1/nodepool.go, Hash. No difference: the hashes that Karpenter wrote on NodePools and
 * NodeClaims stay valid, so a handover drifts nothing.
 */
import type { Taint } from "#api/core-v1/pod.ts";
import { parseNanos } from "#api/duration.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import {
  type HashedList,
  type HashedMap,
  type HashedPointer,
  type HashedStruct,
  type HashedValue,
  structureHash,
} from "#api/structure-hash.ts";
import { parseTime } from "#api/time.ts";

/** Says what goes into the hash: hashes of different versions are never compared. Karpenter: NodePoolHashVersion. */
export const nodePoolHashVersion = "v3";

/**
 * Of all in the template that a node cannot change in place; not of its requirements, which drift by comparison. A
 * changed spelling of a duration changes nothing.
 */
export function nodePoolHash(nodePool: NodePool): string {
  const { metadata = {}, spec } = nodePool.spec.template;
  const { kind, name, group } = spec.nodeClassRef;
  const objectMeta = struct("ObjectMeta", {
    Labels: labelMap(metadata.labels),
    Annotations: labelMap(metadata.annotations),
  });
  const templateSpec = struct("NodeClaimTemplateSpec", {
    Taints: taintList(spec.taints),
    StartupTaints: taintList(spec.startupTaints),
    NodeClassRef: pointer(struct("NodeClassReference", { Kind: kind, Name: name, Group: group })),
    TerminationGracePeriod: gracePeriod(spec.terminationGracePeriod),
    ExpireAfter: struct("NillableDuration", { Duration: pointer(parseNanos(spec.expireAfter)) }),
  });
  return structureHash(struct("NodeClaimTemplate", { ObjectMeta: objectMeta, Spec: templateSpec })).toString();
}

/** Fields in Go's order of declaration, which the hash depends on. */
function struct(name: string, fields: Readonly<Record<string, HashedValue | undefined>>): HashedStruct {
  return { kind: "struct", name, fields: Object.entries(fields) };
}

function pointer(to: HashedValue | undefined): HashedPointer | undefined {
  return to === undefined ? undefined : { kind: "pointer", to };
}

function labelMap(entries: Readonly<Record<string, string>> | undefined): HashedMap | undefined {
  return entries === undefined ? undefined : { kind: "map", entries };
}

function taintList(taints: readonly Taint[] | undefined): HashedList | undefined {
  return taints === undefined ? undefined : { kind: "list", members: taints.map(taintStruct) };
}

function taintStruct({ key, value, effect, timeAdded }: Taint): HashedStruct {
  const ms = parseTime(timeAdded);
  const time = ms === undefined ? undefined : pointer(struct("Time", { Time: { kind: "time", ms } }));
  return struct("Taint", { Key: key, Value: value, Effect: effect, TimeAdded: time });
}

function gracePeriod(text: string | undefined): HashedPointer | undefined {
  const nanos = text === undefined ? undefined : parseNanos(text);
  return nanos === undefined ? undefined : pointer(struct("Duration", { Duration: nanos }));
}
