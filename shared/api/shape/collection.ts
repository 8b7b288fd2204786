import { isJsonObject, type Trail } from "../problem.ts";
import { applyRules, fail, mustBe, type Rule, type Shape } from "./shape.ts";

interface Size {
  readonly min?: number;
  readonly max?: number;
}

export interface ListLimits<T> extends Size {
  /** Two items of the same key are a problem; undefined is a key that may repeat. */
  readonly key?: (item: T) => string | undefined;
  readonly rules?: readonly Rule<readonly T[]>[];
}

export function list<T>(item: Shape<T>, limits: ListLimits<T> = {}): Shape<readonly T[]> {
  const { key, rules = [] } = limits;
  const allRules = key === undefined ? rules : [noTwins(key), ...rules];
  return (value, at, notes) => {
    if (!Array.isArray(value)) return mustBe(notes, at, "a list", value);
    const wrongSize = sizeProblem(value.length, "item", limits);
    if (wrongSize !== undefined) return fail(notes, at, wrongSize);
    const before = notes.problems.length;
    const read = value.map((element: unknown, index) => item(element, { parent: at, key: index }, notes));
    if (notes.problems.length > before) return undefined;
    const items = (read.every((element, index) => element === value[index]) ? value : read) as readonly T[];
    return applyRules(allRules, items, at, notes) ? items : undefined;
  };
}

export interface MapLimits<T> extends Size {
  /** What is wrong with a key, or undefined. */
  readonly wrongKey?: (key: string) => string | undefined;
  readonly rules?: readonly Rule<Readonly<Record<string, T>>>[];
}

/** An object whose keys are data: labels, resources, tags. A null entry counts as absent. */
export function map<T>(entry: Shape<T>, limits: MapLimits<T> = {}): Shape<Readonly<Record<string, T>>> {
  const { wrongKey, rules = [] } = limits;
  return (value, at, notes) => {
    if (!isJsonObject(value)) return mustBe(notes, at, "an object", value);
    const given = Object.entries(value);
    const present = given.filter(([, element]) => element !== null && element !== undefined);
    const wrongSize = sizeProblem(present.length, "entry", limits);
    if (wrongSize !== undefined) return fail(notes, at, wrongSize);
    const before = notes.problems.length;
    const read = present.map(([key, element]): [string, T | undefined] => {
      const place: Trail = { parent: at, key, inMap: true };
      const complaint = wrongKey?.(key);
      if (complaint !== undefined) fail(notes, place, complaint);
      return [key, entry(element, place, notes)];
    });
    if (notes.problems.length > before) return undefined;
    const same = read.length === given.length && read.every(([, element], index) => element === given[index]?.[1]);
    const entries = (same ? value : Object.fromEntries(read)) as Readonly<Record<string, T>>;
    return applyRules(rules, entries, at, notes) ? entries : undefined;
  };
}

function sizeProblem(size: number, what: "item" | "entry", { min = 0, max = size }: Size): string | undefined {
  const many = what === "item" ? "items" : "entries";
  if (size < min) return `must have at least ${min} ${min === 1 ? what : many}`;
  return size > max ? `must have at most ${max} ${many}; has ${size}` : undefined;
}

function noTwins<T>(key: (item: T) => string | undefined): Rule<readonly T[]> {
  return (items, note) => {
    const first = new Map<string, number>();
    items.forEach((item, index) => {
      const name = key(item);
      if (name === undefined) return;
      const earlier = first.get(name);
      if (earlier === undefined) first.set(name, index);
      else note(`must not repeat item ${earlier} (${name})`, index);
    });
  };
}
