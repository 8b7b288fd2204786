import { describe, expect, test } from "vitest";
import { tickTimes } from "./tick-schedule.ts";

const hourMs = 3_600_000;
const minuteOf = (ms: number): number => Math.floor(ms / 60_000);

describe("the schedule of ticks", () => {
  const times = tickTimes(7, 0, 10 * hourMs);

  test("most minutes have one tick, some have two, some have none", () => {
    const counts = Array.from({ length: 600 }, (_, minute) => times.filter((ms) => minuteOf(ms) === minute).length);
    expect(counts.filter((count) => count === 0).length).toBeGreaterThan(10);
    expect(counts.filter((count) => count === 2).length).toBeGreaterThan(10);
    expect(counts.filter((count) => count === 1).length).toBeGreaterThan(500);
  });

  test("the seconds differ, the order is that of time, and the first minute has its tick", () => {
    expect(new Set(times.map((ms) => Math.floor((ms % 60_000) / 1000))).size).toBe(60);
    expect([...times].sort((a, b) => a - b)).toEqual(times);
    for (let seed = 0; seed < 100; seed++) expect(tickTimes(seed, 0, hourMs)[0]).toBeLessThan(60_000);
  });

  test("one seed is one schedule", () => {
    expect(tickTimes(7, 0, 10 * hourMs)).toEqual(times);
    expect(tickTimes(8, 0, 10 * hourMs)).not.toEqual(times);
  });
});
