import type { Json } from "../core-v1/meta.ts";
import { isJsonObject } from "../problem.ts";

/** A JSON object whose form nobody has checked yet. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Steps from an object to one of its fields. */
export type FieldSteps = readonly [string, ...string[]];

export function fieldAt(object: JsonObject, steps: FieldSteps): Json | undefined {
  let value: Json | undefined = object;
  for (const step of steps) {
    if (!isJsonObject(value) || !Object.hasOwn(value, step)) return undefined;
    value = value[step];
  }
  return value;
}

/** The object with one field replaced in its place, added at the end, or, for undefined, taken out. Parents are made as needed. */
export function withField(object: JsonObject, steps: FieldSteps, value: Json | undefined): JsonObject {
  const [key, ...rest] = steps;
  const [next, ...further] = rest;
  if (next === undefined) {
    if (value !== undefined) return { ...object, [key]: value };
    const { [key]: _, ...others } = object;
    return others;
  }
  const child = object[key];
  if (isJsonObject(child)) return { ...object, [key]: withField(child, [next, ...further], value) };
  return value === undefined ? object : { ...object, [key]: withField({}, [next, ...further], value) };
}

/** One field of an object that is being made; none for an absent value. */
export function given(name: string, value: Json | undefined): JsonObject {
  return value === undefined ? {} : { [name]: value };
}

export function objectOr(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function textOr<T>(value: Json | undefined, otherwise: T): string | T {
  return typeof value === "string" ? value : otherwise;
}
