/**
 * Karpenter counterpart: none. What is written to a file that people pass on: user data is replaced by its digest, and of
 * containers, volumes and annotations only what a decision reads is kept.
 */
import type { Json } from "#api/core-v1/meta.ts";
import { leftOutText } from "./left-out-text.ts";

/** Maps of words that users choose: their keys are no field names. */
const plainMaps: ReadonlySet<string> = new Set(["labels", "matchLabels", "nodeSelector", "tags"]);
const keptOfListed: Readonly<Record<string, ReadonlySet<string>>> = {
  containers: containerFields(),
  initContainers: containerFields(),
  ephemeralContainers: new Set(["name"]),
  containerStatuses: new Set(["name", "allocatedResources"]),
  volumes: new Set(["name", "persistentVolumeClaim", "ephemeral", "csi"]),
};
/**
 * What drivers and the API server note for themselves, and the user data of a launch template, whose name says by a hash
 * which one it is.
 */
const neverKept: ReadonlySet<string> = new Set(["managedFields", "volumeAttributes", "flexVolume", "UserData"]);
/** A NodePool's annotations are its nodes' and go into its hash. */
const keepsAnnotations: ReadonlySet<string> = new Set(["Node", "NodeClaim", "NodePool"]);
const wholeObjects: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  "objectset.rio.cattle.io/applied",
]);
/** Of the domains that decisions read. */
const readDomain = /^([^/]+\.)?(karpenter\.[^/]+|outrigger\.dev|kubernetes\.io|k8s\.io)\//;
/** Problems of these fields may quote what must not be told. */
const unquotedField = /userData|annotations/;

/** The value as JSON, without what may be secret. The same again when it is done twice. */
export function redacted(value: unknown): Json {
  return walk(value, false);
}

function walk(value: unknown, withAnnotations: boolean): Json {
  if (Array.isArray(value)) return value.map((one) => walk(one, withAnnotations));
  if (typeof value !== "object" || value === null) return plain(value);
  const own = value as Readonly<Record<string, unknown>>;
  const deep = withAnnotations || keepsAnnotations.has(String(own.kind));
  const kept: Record<string, Json> = {};
  for (const [key, inner] of Object.entries(own)) {
    if (inner === undefined || neverKept.has(key)) continue;
    if (key === "parameters" && own.kind === "StorageClass") continue;
    kept[key] = field(key, inner, deep);
  }
  const isQuoting =
    typeof kept.field === "string" && typeof kept.message === "string" && unquotedField.test(kept.field);
  return isQuoting ? { ...kept, message: "left out of the recording" } : kept;
}

function field(key: string, value: unknown, withAnnotations: boolean): Json {
  if (typeof value === "string" && key === "userData") return leftOutText(value);
  if (plainMaps.has(key)) return copied(value, () => true);
  if (key === "annotations") {
    return copied(value, (name) => !wholeObjects.has(name) && (withAnnotations || readDomain.test(name)));
  }
  const listed = keptOfListed[key];
  if (listed === undefined || !Array.isArray(value)) return walk(value, withAnnotations);
  return value.map((one) =>
    walk(
      copied(one, (name) => listed.has(name)),
      withAnnotations,
    ),
  );
}

/** `isKept` is asked of each key of a map. */
function copied(value: unknown, isKept: (key: string) => boolean): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value as Json;
  return Object.fromEntries(Object.entries(value).filter(([key, one]) => one !== undefined && isKept(key)));
}

function plain(value: unknown): Json {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
}

function containerFields(): ReadonlySet<string> {
  return new Set(["name", "image", "resources", "ports", "restartPolicy"]);
}
