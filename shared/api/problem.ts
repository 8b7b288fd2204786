import type { Json } from "./core-v1/meta.ts";

/** What is wrong at one place of an object that somebody wrote. */
export interface Problem {
  /** `spec.template.spec.requirements[2].operator`, map keys as `metadata.labels[team]`; "" is the whole object. */
  readonly field: string;
  /** The same place, step by step, for finding it in a parsed document. */
  readonly path: readonly (string | number)[];
  /** What must be and what was found: `must be one of In, NotIn; got "in"`. */
  readonly message: string;
}

/** Steps from the root of an object to a value in it, innermost first; undefined is the root. */
export interface Trail {
  readonly parent: Trail | undefined;
  readonly key: string | number;
  /** An entry of a map, whose key is data: written in brackets. */
  readonly inMap?: boolean;
}

/** What reading an object found. Warnings are things without effect, such as unknown fields; they stop nothing. */
export interface Notes {
  readonly problems: Problem[];
  readonly warnings: Problem[];
}

export function problemAt(at: Trail | undefined, message: string): Problem {
  const steps: Trail[] = [];
  for (let step = at; step !== undefined; step = step.parent) steps.unshift(step);
  return { field: steps.reduce(joined, ""), path: steps.map((step) => step.key), message };
}

/** `field: message`, the form in which people read it. */
export function formatProblem(problem: Problem): string {
  return problem.field === "" ? problem.message : `${problem.field}: ${problem.message}`;
}

/** Most characters of a found value that a message repeats. */
const shownLength = 60;

/** A found value as a message shows it: JSON, cut, and lists and objects by their kind only. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length <= shownLength ? text : `${text.slice(0, shownLength)}…`;
}

export function isJsonObject(value: unknown): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function joined(field: string, step: Trail): string {
  if (typeof step.key === "number" || step.inMap === true) return `${field}[${step.key}]`;
  return field === "" ? step.key : `${field}.${step.key}`;
}
