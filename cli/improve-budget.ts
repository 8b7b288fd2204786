/** `--improve-ms N`: the search for a cheaper plan goes on for so long. The core counts steps, the clock is here. */
import { performance } from "node:perf_hooks";
import { InvalidArgumentError, Option } from "commander";
import type { Budget } from "#core/scheduling/improvement/budget.ts";

/** Steps between two looks at the clock: a few milliseconds. */
const slice = 200;
const longestMs = 3_600_000;

/** The time runs from the first question on: once a plan is there. */
export function timedBudget(improveMs: number): Budget {
  let untilMs: number | undefined;
  const more = (): number => {
    untilMs ??= performance.now() + improveMs;
    return performance.now() < untilMs ? slice : 0;
  };
  return { more, classesMost: 1 };
}

export function improveOption(): Option {
  return new Option("--improve-ms <n>", "spend so long on making the plan cheaper").argParser(milliseconds);
}

function milliseconds(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= longestMs) return value;
  throw new InvalidArgumentError(`It must be a whole number from 0 to ${longestMs}.`);
}
