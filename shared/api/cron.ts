/**
 * Cron schedules in UTC. Karpenter counterpart: robfig/cron v3, ParseStandard with TZ=UTC, which reads the schedules of
 * disruption budgets. It differs: problems say what to write instead.
 */
import { type CronField, type CronProblem, cronFieldRules, parseCronField } from "./cron-field.ts";
import { parseDuration } from "./duration.ts";

export type Cron =
  | {
      readonly kind: "calendar";
      readonly minute: CronField;
      readonly hour: CronField;
      readonly dayOfMonth: CronField;
      readonly month: CronField;
      readonly dayOfWeek: CronField;
    }
  /** `@every`: so many ms after the second in which one asks; whole seconds, at least one. */
  | { readonly kind: "every"; readonly ms: number };

type Calendar = Extract<Cron, { kind: "calendar" }>;

const macros: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
const everyPrefix = "@every ";
/** Longest text that is read: five fields that list every value have some 500 characters. */
const maxTextLength = 1_000;

/** Five fields, a macro such as `@daily`, or `@every 1h30m`. */
export function parseCron(text: string): Cron | CronProblem {
  const schedule = text.trim();
  if (schedule.length > maxTextLength) return { problem: `must have at most ${maxTextLength} characters` };
  if (!schedule.startsWith("@")) return parseFields(schedule);
  if (schedule.startsWith(everyPrefix)) return parseEvery(schedule.slice(everyPrefix.length));
  const fields = Object.hasOwn(macros, schedule) ? macros[schedule] : undefined;
  if (fields !== undefined) return parseFields(fields);
  return { problem: `${JSON.stringify(schedule)} is none of ${Object.keys(macros).join(", ")}, @every` };
}

function parseEvery(text: string): Cron | CronProblem {
  const ms = parseDuration(text);
  if (ms === undefined) return { problem: `@every takes a duration such as 1h30m; got ${JSON.stringify(text)}` };
  return { kind: "every", ms: Math.max(1, Math.floor(ms / 1_000)) * 1_000 };
}

function parseFields(text: string): Cron | CronProblem {
  const words = text.split(/\s+/).filter((word) => word !== "");
  if (words.length !== cronFieldRules.length) {
    const names = cronFieldRules.map((rule) => rule.name).join(", ");
    return { problem: `must have exactly 5 fields (${names}); has ${words.length}` };
  }
  const fields: CronField[] = [];
  for (const [i, rule] of cronFieldRules.entries()) {
    const field = parseCronField(words[i] ?? "", rule);
    if ("problem" in field) return field;
    fields.push(field);
  }
  const [minute, hour, dayOfMonth, month, dayOfWeek] = fields as [
    CronField,
    CronField,
    CronField,
    CronField,
    CronField,
  ];
  return { kind: "calendar", minute, hour, dayOfMonth, month, dayOfWeek };
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** robfig/cron gives up after the fifth year from now. */
const maxYears = 5;
const maxDays = (maxYears + 1) * 366;

/** The first time after `afterMs` (strictly) at which the schedule fires; undefined when it does not within five years. */
export function next(cron: Cron, afterMs: number): number | undefined {
  if (cron.kind === "every") return Math.floor(afterMs / 1_000) * 1_000 + cron.ms;
  const firstMs = (Math.floor(afterMs / minuteMs) + 1) * minuteMs;
  const lastYear = new Date(firstMs).getUTCFullYear() + maxYears;
  const firstDayMs = Math.floor(firstMs / dayMs) * dayMs;
  for (let day = 0; day < maxDays; day++) {
    const startMs = firstDayMs + day * dayMs;
    const date = new Date(startMs);
    if (date.getUTCFullYear() > lastYear) return undefined;
    const minute = firesOn(cron, date) ? firstMinute(cron, Math.max(0, (firstMs - startMs) / minuteMs)) : undefined;
    if (minute !== undefined) return startMs + minute * minuteMs;
  }
  return undefined;
}

/** Days of the month and of the week are alternatives when both are given, else both must hold. */
function firesOn(cron: Calendar, date: Date): boolean {
  if (!cron.month.values.has(date.getUTCMonth() + 1)) return false;
  const inMonth = cron.dayOfMonth.values.has(date.getUTCDate());
  const inWeek = cron.dayOfWeek.values.has(date.getUTCDay());
  return cron.dayOfMonth.any || cron.dayOfWeek.any ? inMonth && inWeek : inMonth || inWeek;
}

/** The first minute of a day, at or after minute `from` of it, that the schedule names. */
function firstMinute(cron: Calendar, from: number): number | undefined {
  for (let hour = Math.floor(from / 60); hour < 24; hour++) {
    if (!cron.hour.values.has(hour)) continue;
    for (let minute = Math.max(0, from - hour * 60); minute < 60; minute++) {
      if (cron.minute.values.has(minute)) return hour * 60 + minute;
    }
  }
  return undefined;
}
