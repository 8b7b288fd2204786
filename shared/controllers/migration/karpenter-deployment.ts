import { type FieldSteps, fieldAt, type JsonObject } from "#api/conversion/json-fields.ts";
import { isJsonObject } from "#api/problem.ts";
import { type ConfigMaps, variablesOf } from "./container-variables.ts";
import { settingNames } from "./deployed-settings.ts";
import { annotationsOf, type KarpenterDeployment, metadataOf } from "./view.ts";

const podSpec: FieldSteps = ["spec", "template", "spec", "containers"];
export const karpenterLabel = "app.kubernetes.io/name=karpenter";

/** Karpenter's controller, under whatever name its chart was released; undefined: this Deployment is another's. */
export function karpenterContainer(object: JsonObject): JsonObject | undefined {
  const containers = fieldAt(object, podSpec);
  const isLabelled = fieldAt(object, ["metadata", "labels", "app.kubernetes.io/name"]) === "karpenter";
  return (Array.isArray(containers) ? containers : [])
    .filter(isJsonObject)
    .find((each) => isController(each) || (isLabelled && each.name === "controller"));
}

/** Karpenter: its chart gives the controller the variable KARPENTER_SERVICE, and no other container. */
function isController({ image, env }: JsonObject): boolean {
  const variables = Array.isArray(env) ? env.filter(isJsonObject) : [];
  return /karpenter\/controller\b/.test(String(image)) || variables.some(({ name }) => name === "KARPENTER_SERVICE");
}

/** Undefined for a Deployment of something else. `configMaps`: of its namespace, those that it takes variables from. */
export function readDeployment(object: JsonObject, configMaps: ConfigMaps): KarpenterDeployment | undefined {
  const { namespace, name, uid, resourceVersion } = metadataOf(object);
  const container = karpenterContainer(object);
  if (container === undefined) return undefined;
  const { settings, elsewhere, secrets } = variablesOf(container, configMaps);
  return {
    namespace: String(namespace),
    name: String(name),
    uid: String(uid),
    resourceVersion: String(resourceVersion),
    version: versionOf(object, String(container.image ?? "")),
    replicas: countAt(object, ["spec", "replicas"], 1),
    pods: countAt(object, ["status", "replicas"], 0),
    annotations: annotationsOf(object),
    settings: { ...settings, ...flagsOf(container) },
    elsewhere,
    secrets,
    ...writerOf(object),
  };
}

function versionOf(object: JsonObject, image: string): string | undefined {
  const label = fieldAt(object, ["metadata", "labels", "app.kubernetes.io/version"]);
  const tag = /:v?(\d+\.\d+(?:\.\d+)?)/.exec(image)?.[1];
  return tag ?? (typeof label === "string" ? label.replace(/^v/, "") : undefined);
}

/** A flag comes before a variable. Karpenter: `--batch-max-duration=10s` is BATCH_MAX_DURATION. */
function flagsOf({ args, command }: JsonObject): Readonly<Record<string, string>> {
  const words = [command, args].flatMap((list) => (Array.isArray(list) ? list.map(String) : []));
  const flags = words.flatMap((word, index) => {
    const [, flag = "", value] = /^--?([a-z-]+)(?:=(.*))?$/.exec(word) ?? [];
    const name = flag.replaceAll("-", "_").toUpperCase();
    if (!settingNames.includes(name)) return [];
    const next = words[index + 1];
    return [[name, value ?? (next === undefined || next.startsWith("-") ? "true" : next)] as const];
  });
  return Object.fromEntries(flags);
}

/** Who wrote the number of replicas last, as the API server remembers it. */
function writerOf(object: JsonObject): Pick<KarpenterDeployment, "replicasBy"> {
  const fields = metadataOf(object).managedFields;
  const writers = (Array.isArray(fields) ? fields : [])
    .filter(isJsonObject)
    .filter((each) => fieldAt(each, ["fieldsV1", "f:spec", "f:replicas"]) !== undefined);
  // RFC 3339 in UTC: text in order is time in order.
  const last = writers.reduce<JsonObject | undefined>(
    (latest, each) => (latest !== undefined && String(latest.time) > String(each.time) ? latest : each),
    undefined,
  );
  return last === undefined ? {} : { replicasBy: String(last.manager) };
}

function countAt(object: JsonObject, steps: FieldSteps, otherwise: number): number {
  const value = fieldAt(object, steps);
  return typeof value === "number" ? value : otherwise;
}
