import { type FieldSteps, fieldAt, type JsonObject } from "#api/conversion/json-fields.ts";
import { isJsonObject } from "#api/problem.ts";
import { settingNames } from "./deployed-settings.ts";
import { annotationsOf, type KarpenterDeployment, metadataOf } from "./view.ts";

const podSpec: FieldSteps = ["spec", "template", "spec", "containers"];

/** Karpenter's controller among Deployments of its label; undefined for another one. */
export function readDeployment(object: JsonObject): KarpenterDeployment | undefined {
  const { namespace, name, uid, resourceVersion } = metadataOf(object);
  const containers = fieldAt(object, podSpec);
  const container = Array.isArray(containers)
    ? containers.filter(isJsonObject).find((each) => each.name === "controller" || /karpenter/.test(String(each.image)))
    : undefined;
  if (container === undefined) return undefined;
  return {
    namespace: String(namespace),
    name: String(name),
    uid: String(uid),
    resourceVersion: String(resourceVersion),
    version: versionOf(object, String(container.image ?? "")),
    replicas: countAt(object, ["spec", "replicas"], 1),
    pods: countAt(object, ["status", "replicas"], 0),
    annotations: annotationsOf(object),
    ...settingsOf(container),
  };
}

function versionOf(object: JsonObject, image: string): string | undefined {
  const label = fieldAt(object, ["metadata", "labels", "app.kubernetes.io/version"]);
  const tag = /:v?(\d+\.\d+(?:\.\d+)?)/.exec(image)?.[1];
  return tag ?? (typeof label === "string" ? label.replace(/^v/, "") : undefined);
}

/** A flag comes before a variable. Karpenter: `--batch-max-duration=10s` is BATCH_MAX_DURATION. */
function settingsOf({ env, args, command }: JsonObject): Pick<KarpenterDeployment, "settings" | "elsewhere"> {
  const variables = Array.isArray(env) ? env.filter(isJsonObject) : [];
  const words = [command, args].flatMap((list) => (Array.isArray(list) ? list.map(String) : []));
  const flags = words.flatMap((word, index) => {
    const [, flag = "", value] = /^--?([a-z-]+)(?:=(.*))?$/.exec(word) ?? [];
    const name = flag.replaceAll("-", "_").toUpperCase();
    if (!settingNames.includes(name)) return [];
    const next = words[index + 1];
    return [[name, value ?? (next === undefined || next.startsWith("-") ? "true" : next)] as const];
  });
  const given = variables.flatMap(({ name, value }) =>
    typeof value === "string" ? [[String(name), value] as const] : [],
  );
  return {
    settings: Object.fromEntries([...given, ...flags]),
    elsewhere: variables.filter(({ valueFrom }) => valueFrom !== undefined).map(({ name }) => String(name)),
  };
}

function countAt(object: JsonObject, steps: FieldSteps, otherwise: number): number {
  const value = fieldAt(object, steps);
  return typeof value === "number" ? value : otherwise;
}
