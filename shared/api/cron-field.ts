/** One of the five fields of a cron expression. */
export interface CronFieldRule {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names of values, in lower case. */
  readonly names: Readonly<Record<string, number>>;
  /** What to write instead of what other crons allow here. */
  readonly advice?: string;
}

export interface CronField {
  readonly values: ReadonlySet<number>;
  /** Written `*` or `?` (without a step above 1): the field leaves the choice of days to the other day field. */
  readonly any: boolean;
}

export interface CronProblem {
  readonly problem: string;
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** In the order in which they are written. */
export const cronFieldRules: readonly CronFieldRule[] = [
  { name: "minute", min: 0, max: 59, names: {} },
  { name: "hour", min: 0, max: 23, names: {} },
  { name: "day of month", min: 1, max: 31, names: {} },
  { name: "month", min: 1, max: 12, names: Object.fromEntries(months.map((name, i) => [name, i + 1])) },
  {
    name: "day of week",
    min: 0,
    max: 6,
    names: Object.fromEntries(weekdays.map((name, i) => [name, i])),
    advice: "write 0 or sun for Sunday",
  },
];

/** A list of values, ranges and steps: `1,5-10/2,*`. Empty items are skipped, as robfig/cron does. */
export function parseCronField(text: string, rule: CronFieldRule): CronField | CronProblem {
  const values = new Set<number>();
  let any = false;
  for (const item of text.split(",")) {
    if (item === "") continue;
    const range = parseRange(item, rule);
    if ("problem" in range) return { problem: `${rule.name} ${JSON.stringify(item)}: ${range.problem}` };
    for (let value = range.start; value <= range.end; value += range.step) values.add(value);
    any ||= range.any;
  }
  return { values, any };
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly any: boolean;
}

function parseRange(text: string, rule: CronFieldRule): Range | CronProblem {
  const [bounds = "", stepText, ...moreSteps] = text.split("/");
  if (moreSteps.length > 0) return { problem: "too many slashes" };
  const step = stepText === undefined ? 1 : parseNumber(stepText);
  if (step === undefined || step === 0) return { problem: `the step must be a positive number; got "${stepText}"` };
  const [low = "", high, ...moreBounds] = bounds.split("-");
  if (low === "*" || low === "?") return { start: rule.min, end: rule.max, step, any: step === 1 };
  if (moreBounds.length > 0) return { problem: "too many hyphens" };
  const start = parseValue(low, rule);
  const end = high === undefined ? start : parseValue(high, rule);
  if (start === undefined || end === undefined) return { problem: unreadable(rule) };
  const problem =
    outsideProblem(start, end, rule) ?? (start > end ? reversedProblem(start, end, bounds, stepText, rule) : undefined);
  if (problem !== undefined) return { problem };
  // robfig/cron: `5/10` runs to the end of the field.
  return { start, end: high === undefined && stepText !== undefined ? rule.max : end, step, any: false };
}

function outsideProblem(start: number, end: number, rule: CronFieldRule): string | undefined {
  const advice = rule.advice === undefined ? "" : `; ${rule.advice}`;
  if (start < rule.min) return `${start} is below the minimum ${rule.min}${advice}`;
  return end > rule.max ? `${end} is above the maximum ${rule.max}${advice}` : undefined;
}

function reversedProblem(
  start: number,
  end: number,
  bounds: string,
  step: string | undefined,
  rule: CronFieldRule,
): string {
  const [low, high] = bounds.split("-");
  const first = start === rule.max ? low : `${low}-${rule.max}`;
  const second = end === rule.min ? high : `${rule.min}-${high}`;
  // With a step the two halves would count from different starts.
  const advice = step === undefined ? `; write ${first},${second}` : "";
  return `beginning of range ${start} beyond end ${end}${advice}`;
}

function parseValue(text: string, rule: CronFieldRule): number | undefined {
  const name = text.toLowerCase();
  return Object.hasOwn(rule.names, name) ? rule.names[name] : parseNumber(text);
}

function parseNumber(text: string): number | undefined {
  return /^\+?[0-9]{1,15}$/.test(text) ? Number(text) : undefined;
}

function unreadable(rule: CronFieldRule): string {
  const names = Object.keys(rule.names);
  const named = names.length === 0 ? "" : ` or a name (${names.join(", ")})`;
  return `must be a number from ${rule.min} to ${rule.max}${named}, a range or *; L, W and # are not known`;
}
