/** Times in which NodePools rest, as a deployment's settings name them. */
import { parseCron } from "./cron.ts";
import { parseDuration } from "./duration.ts";
import { isTimeZone } from "./time-zone.ts";

/** A window opens at each hit of its schedule and stays open for its duration, both by the clock on the wall. */
export interface OffHoursWindow {
  /** Five fields of cron, with one minute, or `@daily`, `@weekly`, …; in `timeZone`: `0 20 * * mon-fri`. */
  readonly schedule: string;
  /** From a minute to 31 days, as Karpenter writes durations: `11h`. 20:00 and 11h is 07:00, whatever the clocks do that night. */
  readonly duration: string;
  /** An IANA name: `Europe/Berlin`. @default "UTC" */
  readonly timeZone?: string;
  /** Names of the NodePools that rest. @default every NodePool that Outrigger looks after */
  readonly nodePools?: readonly string[];
}

const minuteMs = 60_000;
const durationMsMax = 31 * 24 * 60 * minuteMs;
const windowsMax = 20;
/** A function's variables have 4 KB together. */
const textMax = 2_000;
const fields = ["schedule", "duration", "timeZone", "nodePools"];

/** What is wrong with a list of windows, each with its field: `[0].timeZone must be …`; [] when it is one. */
export function offHoursProblems(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return ['must be a list of windows: [{ schedule: "0 20 * * *", duration: "11h" }]'];
  if (value.length > windowsMax) return [`must have at most ${windowsMax} windows, it has ${value.length}`];
  if (JSON.stringify(value).length > textMax) return [`must have at most ${textMax} characters as JSON`];
  return value.flatMap((window: unknown, index) => windowProblems(window).map((problem) => `[${index}]${problem}`));
}

function windowProblems(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return [" must be an object with schedule and duration"];
  }
  const window = value as Readonly<Record<string, unknown>>;
  const strange = Object.keys(window).filter((name) => !fields.includes(name));
  return [
    ...strange.map((name) => `.${name} does not exist; a window has ${fields.join(", ")}`),
    ...found("schedule", scheduleProblem(window.schedule)),
    ...found("duration", durationProblem(window.duration)),
    ...found("timeZone", timeZoneProblem(window.timeZone)),
    ...found("nodePools", nodePoolsProblem(window.nodePools)),
  ];
}

function found(field: string, problem: string | undefined): readonly string[] {
  return problem === undefined ? [] : [`.${field} ${problem}`];
}

function scheduleProblem(value: unknown): string | undefined {
  const example = "as in 0 20 * * mon-fri";
  if (typeof value !== "string") return `must be a cron schedule, ${example}`;
  const cron = parseCron(value);
  if ("problem" in cron) return `cannot be read: ${cron.problem}`;
  if (cron.kind === "every") return `must name times of day, ${example}; @every has none`;
  return cron.minute.values.size === 1 ? undefined : `must name one minute of the hour, ${example}`;
}

function durationProblem(value: unknown): string | undefined {
  const ms = typeof value === "string" ? parseDuration(value) : undefined;
  const isInRange = ms !== undefined && ms >= minuteMs && ms <= durationMsMax;
  return isInRange ? undefined : "must be a duration from 1m to 744h (31 days), as in 11h";
}

function timeZoneProblem(value: unknown): string | undefined {
  if (value === undefined || (typeof value === "string" && isTimeZone(value))) return undefined;
  return "must be the IANA name of a time zone, as in Europe/Berlin";
}

function nodePoolsProblem(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const isList = Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === "string" && name);
  return isList ? undefined : "must be a list of names of NodePools; leave it out for all of them";
}
