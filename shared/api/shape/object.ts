import { isJsonObject, type Notes, problemAt, type Trail } from "../problem.ts";
import { applyRules, fail, mustBe, type Rule, type Shape } from "./shape.ts";

type Presence = "required" | "optional" | "defaulted" | "dropped";

/** How an object holds one of its fields. */
export interface Field<T, P extends Presence = Presence> {
  readonly presence: P;
  readonly shape: Shape<T>;
  readonly fallback?: unknown;
}

export function required<T>(shape: Shape<T>): Field<T, "required"> {
  return { presence: "required", shape };
}

export function optional<T>(shape: Shape<T>): Field<T, "optional"> {
  return { presence: "optional", shape };
}

/** Absent (or null): `fallback` is read in its place, so that defaults inside it fill in too. */
export function defaulted<T>(shape: Shape<T>, fallback: unknown): Field<T, "defaulted"> {
  return { presence: "defaulted", shape, fallback };
}

/** As optional, and an empty text is the same as none: Kubernetes leaves empty texts out when it writes an object. */
export function orEmpty<T>(shape: Shape<T>): Field<T, "optional"> {
  return { presence: "optional", shape, fallback: "" };
}

/** The API server removes the field whatever it holds. */
export const dropped: Field<never, "dropped"> = { presence: "dropped", shape: () => undefined };

/** One entry for each field of T: an optional one may stay absent, any other is required or has a default. */
export type Fields<T> = {
  readonly [K in keyof T]-?: Record<never, never> extends Pick<T, K>
    ? Field<Exclude<T[K], undefined>>
    : Field<T[K], "required" | "defaulted">;
};

export interface ObjectOptions<T> {
  readonly rules?: readonly Rule<T>[];
  /** The fields are all that the API knows: any other gets a warning. Unknown fields are kept in any case. */
  readonly complete?: boolean;
  /** Names of fields that the API knows besides: any that is neither here nor among the fields gets a warning. */
  readonly others?: readonly string[];
}

export function object<T extends object>(fields: Fields<T>, options: ObjectOptions<T> = {}): Shape<T> {
  const known = Object.entries(fields) as [string, Field<unknown>][];
  const names = new Set(known.map(([name]) => name));
  const { rules = [], others = [] } = options;
  const complete = options.complete === true || options.others !== undefined;
  for (const name of others) names.add(name);
  return (value, at, notes) => {
    if (!isJsonObject(value)) return mustBe(notes, at, "an object", value);
    const before = notes.problems.length;
    const read = readFields(known, value, at, notes);
    if (complete) warnOfUnknown(value, names, at, notes);
    if (notes.problems.length > before) return undefined;
    const result = read as T;
    return applyRules(rules, result, at, notes) ? result : undefined;
  };
}

/** `value` itself, or a copy where a field changed. */
function readFields(
  known: readonly [string, Field<unknown>][],
  value: object,
  at: Trail | undefined,
  notes: Notes,
): object {
  let filled: Record<string, unknown> | undefined;
  for (const [name, field] of known) {
    const given: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
    const read = readField(field, given, { parent: at, key: name }, notes);
    if (read === given) continue;
    filled ??= { ...value };
    if (read === undefined) delete filled[name];
    else filled[name] = read;
  }
  return filled ?? value;
}

function readField(field: Field<unknown>, given: unknown, at: Trail, notes: Notes): unknown {
  if (field.presence === "dropped") return undefined;
  if (given === undefined || given === null) {
    if (field.presence === "defaulted") return field.shape(field.fallback, at, notes);
    return field.presence === "required" ? fail(notes, at, "is required") : undefined;
  }
  if (given === "" && field.fallback === "" && field.presence === "optional") return undefined;
  return field.shape(given, at, notes);
}

function warnOfUnknown(value: object, names: ReadonlySet<string>, at: Trail | undefined, notes: Notes): void {
  for (const name of Object.keys(value)) {
    if (names.has(name)) continue;
    const place: Trail = { parent: at, key: name };
    notes.warnings.push(problemAt(place, `is not a field here and has no effect${wayOut(name, [...names])}`));
  }
}

/** More names than this are a wall of text. */
const listedMax = 16;

function wayOut(name: string, known: readonly string[]): string {
  const meant = known.find((other) => isAlmost(name.toLowerCase(), other.toLowerCase()));
  if (meant !== undefined) return `; is ${meant} meant?`;
  return known.length <= listedMax ? `; known are ${known.join(", ")}` : "";
}

/** Equal but for one letter too many, too few, or another one. */
function isAlmost(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return Math.max(a.length, b.length) - start - end <= 1;
}
