/**
 * What names an old version and is converted by nobody: a kind that its group never had, and manifests inside other
 * objects (patches of a kustomization, values of a chart, a ConfigMap).
 */
import type { Json } from "../core-v1/meta.ts";
import { isJsonObject } from "../problem.ts";
import { type Finding, toDecide } from "./finding.ts";
import { type JsonObject, textOr } from "./json-fields.ts";

const oldVersion = /karpenter\.(?:sh|k8s\.aws)\/v1(?:alpha\d|beta1)(?![\w])/;
const oldVersionWord = /^v1(?:alpha\d|beta1)$/;
const group = /^karpenter\.(?:sh|k8s\.aws)$/;
/** Kubernetes objects nest about 30 deep. */
const depthMax = 100;

/** `object`: one that is left as it is. */
export function oldNameFindings(object: JsonObject): readonly Finding[] {
  const apiVersion = textOr(object.apiVersion, "");
  if (oldVersion.test(apiVersion)) {
    const kind = textOr(object.kind, "nothing");
    return [
      toDecide("kind", `${apiVersion} has no kind ${kind}: it is left as it is (kinds are written as NodePool is)`),
    ];
  }
  return placesOf(object, "", 0).map((place) =>
    toDecide(
      place,
      "names an old version of Karpenter's API, and is left as it is: write it for v1, or convert what is in it apart",
    ),
  );
}

function placesOf(value: Json, place: string, depth: number): readonly string[] {
  if (depth > depthMax) return [];
  if (typeof value === "string") return oldVersion.test(value) ? [place] : [];
  if (Array.isArray(value))
    return value.flatMap((item: Json, index) => placesOf(item, `${place}[${index}]`, depth + 1));
  if (!isJsonObject(value)) return [];
  // The target of a kustomization's patch.
  if (group.test(textOr(value.group, "")) && oldVersionWord.test(textOr(value.version, ""))) return [place];
  return Object.entries(value).flatMap(([key, child]) => placesOf(child, stepTo(place, key), depth + 1));
}

/** As findings write a field: a key with a dot or a slash in brackets. */
function stepTo(place: string, key: string): string {
  if (/[./[\]]/.test(key)) return `${place}[${key}]`;
  return place === "" ? key : `${place}.${key}`;
}
