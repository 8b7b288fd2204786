import { fail, mustBe, type Shape } from "./shape.ts";

export interface TextLimits {
  readonly min?: number;
  /** Most characters (Unicode code points, as the API server counts). */
  readonly max?: number;
  readonly pattern?: RegExp;
  /** What the pattern means: "a duration such as 90s, 5m or 1h30m". */
  readonly expects?: string;
  /** Another check: what is wrong, or undefined. */
  readonly wrong?: (text: string) => string | undefined;
}

export function text(limits: TextLimits = {}): Shape<string> {
  const { min = 0, max = Number.POSITIVE_INFINITY, pattern, expects, wrong } = limits;
  return (value, at, notes) => {
    if (typeof value !== "string") return mustBe(notes, at, expects ?? quoted(value), value);
    if (value.length < min) return mustBe(notes, at, expects ?? "a text that is not empty", value);
    if (value.length > max && [...value].length > max) {
      return fail(notes, at, `must have at most ${max} characters; has ${[...value].length}`);
    }
    if (pattern?.test(value) === false) return mustBe(notes, at, expects ?? `a text like ${pattern.source}`, value);
    const complaint = wrong?.(value);
    return complaint === undefined ? value : fail(notes, at, complaint);
  };
}

/** One of the listed texts, case counts. */
export function oneOf<const T extends string>(allowed: readonly T[]): Shape<T> {
  return (value, at, notes) => {
    const found = allowed.find((candidate) => candidate === value);
    return found ?? mustBe(notes, at, `one of ${allowed.join(", ")}`, value);
  };
}

export const boolean: Shape<boolean> = (value, at, notes) =>
  typeof value === "boolean" ? value : mustBe(notes, at, "true or false, without quotes", value);

/** True for a whole number that an int64 of the API can hold; beyond that a JSON number is a float to the API server. */
export function isInt64(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && Math.abs(value) < 2 ** 63;
}

/** A whole number within bounds, both included. */
export function integer(min?: number, max?: number): Shape<number> {
  const range =
    min !== undefined && max !== undefined ? ` from ${min} to ${max}` : min === undefined ? "" : ` of at least ${min}`;
  return (value, at, notes) => {
    if (!isInt64(value) || value < (min ?? value) || value > (max ?? value)) {
      return mustBe(notes, at, `a whole number${range}`, value);
    }
    return value;
  };
}

export const maxInt32 = 2_147_483_647;
export const int32: Shape<number> = integer(-maxInt32 - 1, maxInt32);

/** Kept as it is: a part that Outrigger does not read. */
export const anything: Shape<unknown> = (value) => value;

function quoted(value: unknown): string {
  return typeof value === "number" || typeof value === "boolean" ? "a text (put it in quotes)" : "a text";
}
