/**
 * The one door by which objects enter, from manifests, from the API server and from recordings: a JSON value becomes an
 * object with every default filled in, or problems that name the field. Nothing behind it checks an object's form again.
 * Never throws, whatever the value.
 */
import {
  configMap,
  csiNode,
  namespace,
  persistentVolume,
  persistentVolumeClaim,
  podDisruptionBudget,
  priorityClass,
  storageClass,
  volumeAttachment,
} from "./core-v1/cluster-objects-validation.ts";
import { node } from "./core-v1/node-validation.ts";
import { pod } from "./core-v1/pod-validation.ts";
import { daemonSet, deployment, job, replicaSet, statefulSet } from "./core-v1/workload-validation.ts";
import { ec2NodeClass } from "./ec2-v1/ec2nodeclass-validation.ts";
import { nodeClaim } from "./karpenter-v1/nodeclaim-validation.ts";
import { nodePool } from "./karpenter-v1/nodepool-validation.ts";
import { groupOf, isKnownKind, type KnownKind, type KnownKinds, kinds, kubernetesGroups } from "./kinds.ts";
import { isJsonObject, type Notes, type Problem, problemAt, shown } from "./problem.ts";
import type { Shape } from "./shape/shape.ts";

/** An object of a kind that Outrigger reads; `switch (parsed.objectKind)` narrows `object`. */
export type ParsedObject = {
  readonly [K in KnownKind]: {
    readonly kind: "object";
    readonly objectKind: K;
    /** The very value given when no default was missing; unknown fields are kept. */
    readonly object: KnownKinds[K];
    /** Fields that the kind does not have and that so have no effect. */
    readonly warnings: readonly Problem[];
  };
}[KnownKind];

export interface ParsedProblems {
  readonly kind: "problems";
  readonly apiVersion: string;
  readonly objectKind: string;
  /** "namespace/name", or the name alone; "" where there is none. */
  readonly objectName: string;
  /** At least one, in the order of the kind's fields. */
  readonly problems: readonly Problem[];
  /** As of an object: a misspelt field is often why another one is missing. */
  readonly warnings: readonly Problem[];
}

/** A well-formed object of a kind that Outrigger does not read. */
export interface ParsedUnknown {
  readonly kind: "unknown";
  readonly apiVersion: string;
  readonly objectKind: string;
  readonly objectName: string;
}

export type Parsed = ParsedObject | ParsedProblems | ParsedUnknown;

const shapes: { readonly [K in KnownKind]: Shape<KnownKinds[K]> } = {
  Pod: pod,
  Deployment: deployment,
  ReplicaSet: replicaSet,
  StatefulSet: statefulSet,
  DaemonSet: daemonSet,
  Job: job,
  PodDisruptionBudget: podDisruptionBudget,
  Node: node,
  PersistentVolume: persistentVolume,
  PersistentVolumeClaim: persistentVolumeClaim,
  StorageClass: storageClass,
  CSINode: csiNode,
  VolumeAttachment: volumeAttachment,
  Namespace: namespace,
  PriorityClass: priorityClass,
  ConfigMap: configMap,
  NodePool: nodePool,
  NodeClaim: nodeClaim,
  EC2NodeClass: ec2NodeClass,
};

export function parseObject(raw: unknown): Parsed {
  const apiVersion = textOf(raw, "apiVersion");
  const objectKind = textOf(raw, "kind");
  const objectName = nameOf(raw);
  const head = { apiVersion, objectKind, objectName };
  const wrongHead = headProblem(raw, apiVersion, objectKind);
  if (wrongHead !== undefined) return { kind: "problems", ...head, problems: [wrongHead], warnings: [] };
  if (!isKnownKind(objectKind) || kinds[objectKind].apiVersion !== apiVersion) return { kind: "unknown", ...head };
  const notes: Notes = { problems: [], warnings: [] };
  const object = shapes[objectKind](raw, undefined, notes);
  if (object === undefined) return { kind: "problems", ...head, problems: notes.problems, warnings: notes.warnings };
  // The table pairs each kind with its type; the compiler cannot follow that through a union of kinds.
  return { kind: "object", objectKind, object, warnings: notes.warnings } as ParsedObject;
}

/** One object of a document: where it stands in it, and the object. */
export interface Item {
  /** Steps from the document's root: [] or ["items", 3]. */
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/** Lists in lists end somewhere; `kubectl` writes one level. */
const deepestList = 8;

/**
 * The objects of a document: the items of a `kind: List` or of a typed list (`PodList`, whose items may leave out
 * their kind, as the API server writes them), lists in it unfolded; or the document itself.
 */
export function itemsOf(document: unknown): readonly Item[] {
  return unfold({ path: [], value: document }, 0);
}

function unfold(item: Item, depth: number): readonly Item[] {
  const { value, path } = item;
  const kind = textOf(value, "kind");
  if (isEmptyList(value)) return [];
  if (!isJsonObject(value) || !kind.endsWith("List") || !Array.isArray(value.items) || depth >= deepestList) {
    return [item];
  }
  const missing = kind === "List" ? {} : { apiVersion: textOf(value, "apiVersion"), kind: kind.slice(0, -4) };
  return value.items.flatMap((element: unknown, index) => {
    const inner = isJsonObject(element) && element.kind === undefined ? { ...missing, ...element } : element;
    return unfold({ path: [...path, "items", index], value: inner }, depth + 1);
  });
}

/** A list without items, as Kubernetes may write it. */
function isEmptyList(value: unknown): boolean {
  if (textOf(value, "kind") !== "List" || textOf(value, "apiVersion") !== "v1") return false;
  const items = isJsonObject(value) ? value.items : undefined;
  return items === undefined || items === null;
}

function headProblem(raw: unknown, apiVersion: string, kind: string): Problem | undefined {
  if (!isJsonObject(raw)) return problemAt(undefined, `must be an object with apiVersion and kind; got ${shown(raw)}`);
  for (const [key, value] of [
    ["apiVersion", apiVersion],
    ["kind", kind],
  ] as const) {
    const at = { parent: undefined, key };
    if (raw[key] === undefined || raw[key] === null) return problemAt(at, "is required");
    if (value === "") return problemAt(at, `must be a text that is not empty; got ${shown(raw[key])}`);
  }
  if (kind === "List" && apiVersion === "v1" && !Array.isArray(raw.items)) {
    return problemAt({ parent: undefined, key: "items" }, `must be a list; got ${shown(raw.items)}`);
  }
  if (!isKnownKind(kind) || kinds[kind].apiVersion === apiVersion) return undefined;
  const right = kinds[kind].apiVersion;
  const group = groupOf(apiVersion);
  const sameFamily = group === groupOf(right) || (kubernetesGroups.has(group) && kubernetesGroups.has(groupOf(right)));
  const at = { parent: undefined, key: "apiVersion" };
  return sameFamily ? problemAt(at, `must be ${right} for a ${kind}; got ${shown(apiVersion)}`) : undefined;
}

function textOf(value: unknown, key: string): string {
  const found = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof found === "string" ? found : "";
}

function nameOf(raw: unknown): string {
  const metadata = isJsonObject(raw) ? raw.metadata : undefined;
  const name = textOf(metadata, "name");
  const namespace = textOf(metadata, "namespace");
  return namespace === "" || name === "" ? name : `${namespace}/${name}`;
}
