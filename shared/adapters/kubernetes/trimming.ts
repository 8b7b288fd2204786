import type { Json } from "#api/core-v1/meta.ts";
import { isJsonObject } from "#api/problem.ts";

type JsonObject = { readonly [key: string]: Json };

/** Copies of whole objects that tools leave in annotations. */
const heavyAnnotations: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  "objectset.rio.cattle.io/applied",
]);
const heavyMetadata: ReadonlySet<string> = new Set(["managedFields", "selfLink"]);
/** What a container does, as against what it needs; most of a pod's bytes. Environment may hold secrets besides. */
const heavyContainer: ReadonlySet<string> = new Set([
  "args",
  "command",
  "env",
  "envFrom",
  "imagePullPolicy",
  "lifecycle",
  "livenessProbe",
  "readinessProbe",
  "securityContext",
  "startupProbe",
  "terminationMessagePath",
  "terminationMessagePolicy",
  "volumeDevices",
  "volumeMounts",
  "workingDir",
]);
const heavyPodSpec: ReadonlySet<string> = new Set([
  "dnsConfig",
  "dnsPolicy",
  "enableServiceLinks",
  "hostAliases",
  "imagePullSecrets",
  "securityContext",
  "serviceAccount",
  "serviceAccountName",
]);
const heavyPodStatus: ReadonlySet<string> = new Set([
  "ephemeralContainerStatuses",
  "hostIP",
  "hostIPs",
  "initContainerStatuses",
  "podIP",
  "podIPs",
  "qosClass",
]);
const heavyNodeStatus: ReadonlySet<string> = new Set(["addresses", "daemonEndpoints", "images", "volumesInUse"]);

/** The sources of volumes that scheduling reads; what the others hold is of no interest, their names are. */
const readVolumeSources: readonly string[] = ["persistentVolumeClaim", "ephemeral", "csi"];

/**
 * The object without what no decision reads, so that a large cluster fits a small function and a change of such a field
 * is no change. What it drops is listed; fields that Kubernetes adds later are kept.
 */
export function trimmed(kind: string, object: JsonObject): JsonObject {
  const light = { ...object, metadata: trimmedMetadata(object.metadata) };
  switch (kind) {
    case "Pod":
      return { ...light, spec: trimmedPodSpec(object.spec ?? null), status: trimmedPodStatus(object.status ?? {}) };
    case "Node":
      return { ...light, status: trimmedNodeStatus(object.status ?? {}) };
    case "DaemonSet":
      return { ...light, spec: trimmedWorkloadSpec(object.spec ?? null), status: {} };
    default:
      return light;
  }
}

function trimmedMetadata(metadata: Json | undefined): Json {
  if (!isJsonObject(metadata)) return metadata ?? null;
  const light = without(metadata, heavyMetadata);
  const { annotations } = metadata;
  if (!isJsonObject(annotations)) return light;
  return { ...light, annotations: without(annotations, heavyAnnotations) };
}

function trimmedPodSpec(spec: Json): Json {
  if (!isJsonObject(spec)) return spec;
  const { containers, initContainers, volumes } = spec;
  return {
    ...without(spec, heavyPodSpec),
    ...(containers === undefined ? {} : { containers: eachObject(containers, trimmedContainer) }),
    ...(initContainers === undefined ? {} : { initContainers: eachObject(initContainers, trimmedContainer) }),
    ...(volumes === undefined ? {} : { volumes: eachObject(volumes, trimmedVolume) }),
  };
}

function trimmedContainer(container: JsonObject): JsonObject {
  return without(container, heavyContainer);
}

function trimmedVolume(volume: JsonObject): JsonObject {
  return only(volume, ["name", ...readVolumeSources]);
}

function trimmedPodStatus(status: Json): Json {
  if (!isJsonObject(status)) return status;
  const { containerStatuses } = status;
  return {
    ...without(status, heavyPodStatus),
    ...(containerStatuses === undefined
      ? {}
      : { containerStatuses: eachObject(containerStatuses, (one) => only(one, ["name", "allocatedResources"])) }),
  };
}

/** The time of a heartbeat changes every few minutes on every node and means nothing to a decision. */
function trimmedNodeStatus(status: Json): Json {
  if (!isJsonObject(status)) return status;
  const { conditions } = status;
  return {
    ...without(status, heavyNodeStatus),
    ...(conditions === undefined
      ? {}
      : { conditions: eachObject(conditions, (one) => without(one, new Set(["lastHeartbeatTime"]))) }),
  };
}

function trimmedWorkloadSpec(spec: Json): Json {
  if (!isJsonObject(spec) || !isJsonObject(spec.template)) return spec;
  return { ...spec, template: { ...spec.template, spec: trimmedPodSpec(spec.template.spec ?? null) } };
}

function eachObject(list: Json, change: (object: JsonObject) => JsonObject): Json {
  return Array.isArray(list) ? list.map((one: Json) => (isJsonObject(one) ? change(one) : one)) : list;
}

function without(object: JsonObject, names: ReadonlySet<string>): JsonObject {
  const kept: Record<string, Json> = {};
  for (const key in object) if (!names.has(key)) kept[key] = object[key] as Json;
  return kept;
}

function only(object: JsonObject, names: readonly string[]): JsonObject {
  const kept: Record<string, Json> = {};
  for (const key of names) if (object[key] !== undefined) kept[key] = object[key];
  return kept;
}
