/** What a container is told by its environment, as far as ConfigMaps and the Deployment itself say it. */
import { type FieldSteps, fieldAt, type JsonObject } from "#api/conversion/json-fields.ts";
import { isJsonObject } from "#api/problem.ts";

/** Their data, by name; one that is not there is not in it. */
export type ConfigMaps = ReadonlyMap<string, Readonly<Record<string, string>>>;

export interface ContainerVariables {
  readonly settings: Readonly<Record<string, string>>;
  /** Variables whose value is neither in the Deployment nor in a ConfigMap. */
  readonly elsewhere: readonly string[];
  /** Secrets all of whose keys are variables. */
  readonly secrets: readonly string[];
}

/** Names of the ConfigMaps that it takes variables from. */
export function configMapNames({ env, envFrom }: JsonObject): readonly string[] {
  const names = [
    ...objectsIn(env).map((each) => fieldAt(each, ["valueFrom", "configMapKeyRef", "name"])),
    ...objectsIn(envFrom).map((each) => fieldAt(each, ["configMapRef", "name"])),
  ];
  return [...new Set(names.filter((name) => typeof name === "string"))].sort();
}

/** Kubernetes: `env` comes before `envFrom`, and of each the later before the earlier. */
export function variablesOf({ env, envFrom }: JsonObject, configMaps: ConfigMaps): ContainerVariables {
  const whole = objectsIn(envFrom).flatMap((each) => {
    const prefix = typeof each.prefix === "string" ? each.prefix : "";
    const data = configMaps.get(textAt(each, ["configMapRef", "name"]) ?? "") ?? {};
    return Object.entries(data).map(([key, value]) => [`${prefix}${key}`, value] as const);
  });
  const single = objectsIn(env).map(
    (each) => [String(each.name), textAt(each, ["value"]) ?? referred(each, configMaps)] as const,
  );
  const known = [...whole, ...single].filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    settings: Object.fromEntries(known),
    elsewhere: objectsIn(env)
      .filter((each) => each.valueFrom !== undefined && referred(each, configMaps) === undefined)
      .map(({ name }) => String(name)),
    secrets: objectsIn(envFrom).flatMap((each) => textAt(each, ["secretRef", "name"]) ?? []),
  };
}

function referred(variable: JsonObject, configMaps: ConfigMaps): string | undefined {
  const [name, key] = ["name", "key"].map((field) => textAt(variable, ["valueFrom", "configMapKeyRef", field]));
  return configMaps.get(name ?? "")?.[key ?? ""];
}

function objectsIn(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function textAt(object: JsonObject, steps: FieldSteps): string | undefined {
  const value = fieldAt(object, steps);
  return typeof value === "string" ? value : undefined;
}
