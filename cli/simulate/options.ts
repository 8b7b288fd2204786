import { InvalidArgumentError } from "commander";
import { type OffHoursWindow, offHoursProblems } from "#api/off-hours.ts";

/** What the user asked of `simulate`, checked. */
export interface SimulateOptions {
  /** Files, directories, "-"; empty: the demo. */
  readonly filename: readonly string[];
  readonly minutes: number | undefined;
  readonly seed: number;
  /** File for the result, "-" for stdout. */
  readonly json: string | undefined;
  /** File for the metrics as Prometheus reads them, "-" for stdout. */
  readonly metrics: string | undefined;
  readonly interrupt: boolean;
  /** Times in which NodePools rest. */
  readonly offHours: readonly OffHoursWindow[];
}

/** A week of ticks; longer runs say nothing new and take long. */
const minutesMax = 7 * 24 * 60;
const seedMax = 2 ** 32 - 1;

export function readMinutes(text: string): number {
  return wholeNumber(text, 1, minutesMax);
}

export function readSeed(text: string): number {
  return wholeNumber(text, 0, seedMax);
}

/** The windows as JSON, as a deployment's setting `offHours` has them. */
export function readOffHours(text: string): readonly OffHoursWindow[] {
  let windows: unknown;
  try {
    windows = JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('It must be JSON: [{"schedule":"0 20 * * *","duration":"11h"}].');
  }
  const [problem] = offHoursProblems(windows);
  if (problem !== undefined) throw new InvalidArgumentError(problem);
  return windows as readonly OffHoursWindow[];
}

function wholeNumber(text: string, min: number, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max))
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  return value;
}
