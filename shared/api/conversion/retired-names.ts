/**
 * Annotations and labels that Karpenter dropped at v0.32 and v1.0, wherever a manifest holds them: on workloads too,
 * whose pods nothing would protect any more.
 */
import type { Json } from "../core-v1/meta.ts";
import { isJsonObject } from "../problem.ts";
import { type Finding, toKnow } from "./finding.ts";
import type { JsonObject } from "./json-fields.ts";

/** Karpenter: upgrade guide, v0.32 and v1.0. */
const successors: Readonly<Record<string, string>> = {
  "karpenter.sh/do-not-evict": "karpenter.sh/do-not-disrupt",
  "karpenter.sh/do-not-consolidate": "karpenter.sh/do-not-disrupt",
  "karpenter.sh/provisioner-name": "karpenter.sh/nodepool",
};

/** Where they act: as keys of metadata and selectors, and as the `key` of terms and spread constraints. */
const keyHolders: ReadonlySet<string> = new Set(["annotations", "labels", "nodeSelector", "matchLabels"]);
const keyFields: ReadonlySet<string> = new Set(["key", "topologyKey"]);

/** Kubernetes objects nest about 30 deep. */
const depthMax = 100;

/** The value with today's names, and a finding for each old one; the very value when there is none. */
export function withCurrentNames(value: JsonObject): {
  readonly object: JsonObject;
  readonly findings: readonly Finding[];
} {
  const findings: Finding[] = [];
  const object = renamed(value, "", "", findings, 0);
  return { object: isJsonObject(object) ? object : value, findings };
}

function renamed(value: Json, name: string, place: string, findings: Finding[], depth: number): Json {
  if (depth > depthMax) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: Json, index) => renamed(item, name, `${place}[${index}]`, findings, depth + 1));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isJsonObject(value)) return keyFields.has(name) ? renamedText(value, place, findings) : value;
  const entries = Object.entries(value).flatMap(([key, child]): readonly (readonly [string, Json])[] => {
    const at = keyHolders.has(name) ? `${place}[${key}]` : place === "" ? key : `${place}.${key}`;
    const newKey = keyHolders.has(name) ? String(renamedText(key, at, findings)) : key;
    // Both names side by side serve two versions: what today's says holds.
    if (newKey !== key && Object.hasOwn(value, newKey)) return [];
    return [[newKey, renamed(child, key, at, findings, depth + 1)]];
  });
  const isSame =
    entries.length === Object.keys(value).length &&
    entries.every(([key, child]) => Object.hasOwn(value, key) && value[key] === child);
  return isSame ? value : Object.fromEntries(entries);
}

function renamedText(text: Json, place: string, findings: Finding[]): Json {
  const successor = typeof text === "string" && Object.hasOwn(successors, text) ? successors[text] : undefined;
  if (successor === undefined) return text;
  findings.push(toKnow(place, `${text} is not read any more; it is ${successor} now`));
  return successor;
}
