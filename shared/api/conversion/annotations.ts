import { sameJson } from "../same-json.ts";
import { type FieldSteps, fieldAt, type JsonObject, textOr, withField } from "./json-fields.ts";

const annotations: FieldSteps = ["metadata", "annotations"];

export function annotationOf(object: JsonObject, name: string): string | undefined {
  return textOr(fieldAt(object, [...annotations, name]), undefined);
}

export function withAnnotation(object: JsonObject, name: string, value: string): JsonObject {
  return withField(object, [...annotations, name], value);
}

/** With the last one the map goes too, as Kubernetes writes it. */
export function withoutAnnotation(object: JsonObject, name: string): JsonObject {
  if (annotationOf(object, name) === undefined) return object;
  const without = withField(object, [...annotations, name], undefined);
  return sameJson(fieldAt(without, annotations), {}) ? withField(without, annotations, undefined) : without;
}
