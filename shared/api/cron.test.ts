import { Cron as Croner } from "croner";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Cron, next, parseCron } from "./cron.ts";

function parsed(text: string): Cron {
  const cron = parseCron(text);
  if ("problem" in cron) throw new Error(cron.problem);
  return cron;
}

function problem(text: string): string | undefined {
  const cron = parseCron(text);
  return "problem" in cron ? cron.problem : undefined;
}

/** The next times as `2026-01-02T00:00`, until `count` or until it never fires again. */
function times(text: string, fromIso: string, count = 3): readonly string[] {
  const cron = parsed(text);
  const found: string[] = [];
  let ms: number | undefined = Date.parse(fromIso);
  for (let i = 0; i < count; i++) {
    ms = next(cron, ms);
    if (ms === undefined) break;
    found.push(new Date(ms).toISOString().slice(0, 16));
  }
  return found;
}

describe("a schedule", () => {
  /** Made with robfig/cron 3.0.1, ParseStandard, TZ=UTC, from the start of 2026 (a Thursday). */
  test.each([
    ["0 0 13 * 5", "2026-01-02T00:00 2026-01-09T00:00 2026-01-13T00:00"],
    ["0 0 */2 * 5", "2026-01-02T00:00 2026-01-03T00:00 2026-01-05T00:00"],
    ["5/10 * * * *", "2026-01-01T00:05 2026-01-01T00:15 2026-01-01T00:25"],
    ["0 0 ? * *", "2026-01-02T00:00 2026-01-03T00:00 2026-01-04T00:00"],
    ["@every 1h", "2026-01-01T01:00 2026-01-01T02:00 2026-01-01T03:00"],
    ["@midnight", "2026-01-02T00:00 2026-01-03T00:00 2026-01-04T00:00"],
    ["0 0 31 2 *", ""],
    ["0 0 * * SUN-TUE", "2026-01-04T00:00 2026-01-05T00:00 2026-01-06T00:00"],
    ["*/15 9-17 * jan mon", "2026-01-05T09:00 2026-01-05T09:15 2026-01-05T09:30"],
    ["* * * * *", "2026-01-01T00:01 2026-01-01T00:02 2026-01-01T00:03"],
    ["@yearly", "2027-01-01T00:00 2028-01-01T00:00 2029-01-01T00:00"],
    ["@annually", "2027-01-01T00:00 2028-01-01T00:00 2029-01-01T00:00"],
    ["@monthly", "2026-02-01T00:00 2026-03-01T00:00 2026-04-01T00:00"],
    ["@weekly", "2026-01-04T00:00 2026-01-11T00:00 2026-01-18T00:00"],
    ["@daily", "2026-01-02T00:00 2026-01-03T00:00 2026-01-04T00:00"],
    ["@hourly", "2026-01-01T01:00 2026-01-01T02:00 2026-01-01T03:00"],
    ["0 0 1,15 * mon", "2026-01-05T00:00 2026-01-12T00:00 2026-01-15T00:00"],
    ["0 0 ? * mon", "2026-01-05T00:00 2026-01-12T00:00 2026-01-19T00:00"],
    // A step of one leaves the choice of days to the other field, a greater one does not.
    ["0 0 */1 * 1", "2026-01-05T00:00 2026-01-12T00:00 2026-01-19T00:00"],
    ["0 0 ?/2 * mon", "2026-01-03T00:00 2026-01-05T00:00 2026-01-07T00:00"],
    ["0 0 29 2 *", "2028-02-29T00:00 2032-02-29T00:00 2036-02-29T00:00"],
    ["1,,2 * * * *", "2026-01-01T00:01 2026-01-01T00:02 2026-01-01T01:01"],
    ["*-5 * * * *", "2026-01-01T00:01 2026-01-01T00:02 2026-01-01T00:03"],
    ["*/61 * * * *", "2026-01-01T01:00 2026-01-01T02:00 2026-01-01T03:00"],
    ["+1 * * * *", "2026-01-01T00:01 2026-01-01T01:01 2026-01-01T02:01"],
    ["0 0 * * mon-5", "2026-01-02T00:00 2026-01-05T00:00 2026-01-06T00:00"],
    [" 0\t0 * *  * ", "2026-01-02T00:00 2026-01-03T00:00 2026-01-04T00:00"],
  ])("%s fires at %s", (text, expected) => {
    expect(times(text, "2026-01-01T00:00:00Z").join(" ")).toBe(expected);
  });

  test("fires strictly after the time asked for, to the millisecond", () => {
    expect(times("0 0 31 12 *", "2025-12-30T23:59:59.999Z", 1)).toEqual(["2025-12-31T00:00"]);
    expect(times("0 0 31 12 *", "2025-12-31T00:00:00.000Z", 1)).toEqual(["2026-12-31T00:00"]);
  });

  test("is given up after five years", () => {
    expect(times("0 0 29 2 *", "2096-03-01T00:00:00Z")).toEqual([]);
    expect(times("0 0 29 2 *", "2099-03-01T00:00:00Z", 1)).toEqual(["2104-02-29T00:00"]);
    expect(times("0 0 31 4,6 *", "2026-01-01T00:00:00Z")).toEqual([]);
    expect(times(", * * * *", "2026-01-01T00:00:00Z")).toEqual([]);
  });

  test("with @every counts from the second in which one asks, one second at least", () => {
    expect(next(parsed("@every 1h30m"), 30_500)).toBe(30_000 + 5_400_000);
    expect(next(parsed("@every 1.5s"), 500)).toBe(1_000);
    expect(next(parsed("@every -1h"), 500)).toBe(1_000);
  });
});

describe("a schedule that cannot be read", () => {
  test.each([
    ["0 0 * * sat-sun", 'day of week "sat-sun": beginning of range 6 beyond end 0; write sat,sun'],
    ["* 22-5 * * *", 'hour "22-5": beginning of range 22 beyond end 5; write 22-23,0-5'],
    ["* 22-5/2 * * *", 'hour "22-5/2": beginning of range 22 beyond end 5'],
    ["0 0 * * 7", 'day of week "7": 7 is above the maximum 6; write 0 or sun for Sunday'],
    ["* * 0 * *", 'day of month "0": 0 is below the minimum 1'],
    ["60 * * * *", 'minute "60": 60 is above the maximum 59'],
    ["*/0 * * * *", 'minute "*/0": the step must be a positive number; got "0"'],
    ["1/5/2 * * * *", 'minute "1/5/2": too many slashes'],
    ["1-2-3 * * * *", 'minute "1-2-3": too many hyphens'],
    ["0 0 0 * * *", "must have exactly 5 fields (minute, hour, day of month, month, day of week); has 6"],
    ["", "must have exactly 5 fields (minute, hour, day of month, month, day of week); has 0"],
    ["@every x", '@every takes a duration such as 1h30m; got "x"'],
    ["@reboot", '"@reboot" is none of @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly, @every'],
    ["0 0 L * *", 'day of month "L": must be a number from 1 to 31, a range or *; L, W and # are not known'],
    ["*".repeat(1_001), "must have at most 1000 characters"],
  ])("%s is refused, and why: %s", (text, expected) => {
    expect(problem(text)).toBe(expected);
  });

  test.each([
    "-1 * * * *",
    "1.5 * * * *",
    "1- * * * *",
    "/5 * * * *",
    "*/ * * * *",
    "**/5 * * * *",
    "*/-1 * * * *",
    "0 0 * foo *",
    "0 0 * * 5#2",
    "0 0 1W * *",
    "TZ=UTC 0 0 * * *",
    "@DAILY",
    "@every",
    "0 0 * * constructor",
  ])("%s is refused", (text) => {
    expect(problem(text)).toBeDefined();
  });
});

describe("against croner", () => {
  const field = (min: number, max: number): fc.Arbitrary<string> => {
    const value = fc.integer({ min, max });
    const range = fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
    const item = fc.oneof(
      value.map(String),
      range,
      fc.tuple(range, fc.integer({ min: 1, max: 5 })).map(([bounds, step]) => `${bounds}/${step}`),
    );
    return fc.oneof(
      { weight: 2, arbitrary: fc.constant("*") },
      { weight: 3, arbitrary: fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(",")) },
    );
  };
  const schedule = fc.tuple(field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 6));

  test("400 random schedules fire at the same minute", () => {
    const minute = fc.integer({ min: Date.UTC(2020, 0, 1) / 60_000, max: Date.UTC(2040, 0, 1) / 60_000 });
    fc.assert(
      fc.property(schedule, minute, (fields, fromMinute) => {
        const text = fields.join(" ");
        const from = new Date(fromMinute * 60_000);
        const oracle = new Croner(text, { mode: "5-part", sloppyRanges: true, timezone: "UTC" }).nextRun(from);
        expect(next(parsed(text), from.getTime())).toBe(oracle?.getTime());
      }),
      { seed: 20_260_101, numRuns: 400 },
    );
  });
});
