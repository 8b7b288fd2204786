import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatDuration, parseDuration, parseNanos, parseNillableDuration } from "./duration.ts";

const hour = 3_600_000;

describe("a duration", () => {
  test.each([
    ["1h30m", 1.5 * hour, "1h30m0s"],
    ["5m", 300_000, "5m0s"],
    ["0s", 0, "0s"],
    ["0", 0, "0s"],
    ["-0", 0, "0s"],
    ["1.5h", 1.5 * hour, "1h30m0s"],
    [".5s", 500, "500ms"],
    ["1.s", 1000, "1s"],
    ["-1h0m5s", -(hour + 5000), "-1h0m5s"],
    ["+90s", 90_000, "1m30s"],
    ["720h", 720 * hour, "720h0m0s"],
    ["43200m", 720 * hour, "720h0m0s"],
    ["100ms", 100, "100ms"],
    ["1.5ms", 1.5, "1.5ms"],
    ["1\u00b5s", 0.001, "1\u00b5s"],
    ["1\u03bcs", 0.001, "1\u00b5s"],
    ["1us", 0.001, "1\u00b5s"],
    ["15ns", 0.000015, "15ns"],
    ["1h1h", 2 * hour, "2h0m0s"],
    ["1m0.25s", 60_250, "1m0.25s"],
  ])("%s is %d ms and prints as %s, as in Go", (text, ms, printed) => {
    expect(parseDuration(text)).toBe(ms);
    expect(formatDuration(ms)).toBe(printed);
  });

  test.each(["", "5", "-", ".s", "s", "1d", "1h 2m", "1h-2m", "--1h", "1e3s", "1.1.1s", "Never", "1constructor", "1H"])(
    "%j is none",
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );

  test("ends where Go's ends, at 292 years", () => {
    expect(parseNanos("2562047h47m16.854775807s")).toBe(2n ** 63n - 1n);
    expect(parseDuration("2562047h47m16.854775808s")).toBeUndefined();
    expect(parseNanos("-9223372036854775808ns")).toBe(-(2n ** 63n));
    expect(parseDuration(`${"9".repeat(200)}h`)).toBeUndefined();
  });

  test("is refused in no time, whatever the text", () => {
    const startMs = performance.now();
    expect(parseDuration(`${"a".repeat(100)}!`)).toBeUndefined();
    expect(parseDuration(`${"1h".repeat(50)}!`)).toBeUndefined();
    expect(parseDuration(`${"1".repeat(100)}!`)).toBeUndefined();
    expect(performance.now() - startMs).toBeLessThan(1_000);
  });

  test("that is printed reads back the same", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
      { seed: 3, numRuns: 300 },
    );
  });

  test("may be Never where no limit is a value", () => {
    expect(parseNillableDuration("Never")).toBe("Never");
    expect(parseNillableDuration("30s")).toBe(30_000);
    expect(parseNillableDuration("never")).toBeUndefined();
  });
});
