/** What a function is told by its environment: texts under names. Each reader throws EnvironmentProblem. */
import { parseDuration } from "./duration.ts";

export type Variables = Readonly<Record<string, string | undefined>>;

/** What the function cannot start with; the message names the variable. */
export class EnvironmentProblem extends Error {
  constructor(variable: string, problem: string) {
    super(`${variable}: ${problem}`);
    this.name = "EnvironmentProblem";
  }
}

/** An empty variable is one that is not set: that is how a template leaves something out. */
export function optional(variables: Variables, name: string): string | undefined {
  const value = variables[name]?.trim();
  return value === "" ? undefined : value;
}

export function required(variables: Variables, name: string): string {
  const value = optional(variables, name);
  if (value === undefined) throw new EnvironmentProblem(name, "is not set");
  return value;
}

export function oneOf<Word extends string>(
  variables: Variables,
  name: string,
  words: readonly Word[],
  otherwise: Word,
): Word {
  const value = optional(variables, name);
  if (value === undefined) return otherwise;
  const found = words.find((word) => word === value);
  if (found === undefined) throw new EnvironmentProblem(name, `"${value}" is none of ${words.join(", ")}`);
  return found;
}

export function durationOf(variables: Variables, name: string, otherwiseMs: number): number {
  const value = optional(variables, name);
  if (value === undefined) return otherwiseMs;
  const ms = parseDuration(value);
  if (ms === undefined || ms < 0) throw new EnvironmentProblem(name, `"${value}" is no duration such as 10s`);
  return ms;
}

export function numberOf(variables: Variables, name: string, otherwise: number): number {
  const value = optional(variables, name);
  if (value === undefined) return otherwise;
  const number = Number(value);
  if (!(number >= 0)) throw new EnvironmentProblem(name, `"${value}" is no number of 0 or more`);
  return number;
}

export function booleanOf(variables: Variables, name: string): boolean {
  return oneOf(variables, name, ["true", "false"], "false") === "true";
}

export function listOf(variables: Variables, name: string): readonly string[] {
  const words = (optional(variables, name) ?? "").split(",").map((word) => word.trim());
  return words.filter((word) => word !== "");
}
