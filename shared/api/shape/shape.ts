/**
 * Shapes: small readers from which the validation of every kind is built. A shape looks at a JSON value, fills in
 * defaults, notes what is wrong and never throws. It returns the very same value when nothing had to be filled in, and
 * never changes its input.
 */
import type { Notes, Problem, Trail } from "../problem.ts";
import { problemAt, shown } from "../problem.ts";

/** The value with its defaults, or undefined after a problem was noted. */
export type Shape<T> = (value: unknown, at: Trail | undefined, notes: Notes) => T | undefined;

/**
 * A condition over a value whose own fields are all right (as CEL rules of a CRD, which run after its schema). `note`
 * takes the steps from that value to the wrong one; a key of a map is a step in brackets, as `["cpu"]`.
 */
export type Rule<T> = (value: T, note: (message: string, ...steps: readonly Step[]) => void) => void;
type Step = string | number | readonly [string];

export function fail(notes: Notes, at: Trail | undefined, message: string): undefined {
  notes.problems.push(problemAt(at, message));
  return undefined;
}

export function mustBe(notes: Notes, at: Trail | undefined, what: string, value: unknown): undefined {
  return fail(notes, at, `must be ${what}; got ${shown(value)}`);
}

/** Runs `rules` over the value that `shape` read without a problem. */
export function checked<T>(shape: Shape<T>, ...rules: readonly Rule<T>[]): Shape<T> {
  return (value, at, notes) => {
    const result = shape(value, at, notes);
    if (result === undefined) return undefined;
    return applyRules(rules, result, at, notes) ? result : undefined;
  };
}

/** Changes what `shape` read without a problem: defaults that depend on more than one field. */
export function adjusted<T>(shape: Shape<T>, adjust: (value: T) => T): Shape<T> {
  return (value, at, notes) => {
    const result = shape(value, at, notes);
    return result === undefined ? undefined : adjust(result);
  };
}

/** True when no rule noted a problem. */
export function applyRules<T>(rules: readonly Rule<T>[], value: T, at: Trail | undefined, notes: Notes): boolean {
  const before = notes.problems.length;
  for (const rule of rules) {
    rule(value, (message, ...steps) => {
      const place = steps.reduce<Trail | undefined>(trailTo, at);
      notes.problems.push(problemAt(place, message));
    });
  }
  return notes.problems.length === before;
}

function trailTo(parent: Trail | undefined, step: Step): Trail {
  return typeof step === "object" ? { parent, key: step[0], inMap: true } : { parent, key: step };
}

/** Problems of `value` alone, for rules over objects that were read before. */
export function problemsOf<T>(value: T, rules: readonly Rule<T>[]): readonly Problem[] {
  const notes: Notes = { problems: [], warnings: [] };
  applyRules(rules, value, undefined, notes);
  return notes.problems;
}
