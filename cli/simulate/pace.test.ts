import { createColors } from "picocolors";
import { describe, expect, test } from "vitest";
import { frames, Pace } from "./pace.ts";

const minuteMs = 60_000;

describe("frames", () => {
  test("a watcher gets about a hundred of them, and what takes longer than expected more", () => {
    const count = (endMs: number, expectedMs: number): number => [...frames(0, endMs, expectedMs, true)].length;
    for (const minutes of [2, 9, 17, 30, 600]) {
      const expectedMs = minutes * minuteMs;
      expect(count(expectedMs, expectedMs)).toBeGreaterThan(60);
      expect(count(expectedMs, expectedMs)).toBeLessThan(130);
      expect(count(2 * expectedMs, expectedMs)).toBe(2 * count(expectedMs, expectedMs));
    }
  });

  test("a watched run may end where an unwatched one does", () => {
    const watched = new Set(frames(0, 20 * minuteMs, 9 * minuteMs, true));
    for (const moment of frames(0, 20 * minuteMs, 9 * minuteMs, false)) expect(watched).toContain(moment);
  });

  test.each([true, false])("they rise and end at the end (live: %s)", (live) => {
    const moments = [...frames(1_000, 1_000 + 7 * minuteMs + 3, 7 * minuteMs, live)];
    expect(moments.at(-1)).toBe(1_000 + 7 * minuteMs + 3);
    expect(moments).toEqual([...new Set(moments)].sort((a, b) => a - b));
  });
});

test("a watched run makes good the time that a slow frame took; an unwatched one never waits", async () => {
  const run = async (live: boolean): Promise<readonly number[]> => {
    let nowMs = 1_000;
    const pauses: number[] = [];
    const pause = async (ms: number): Promise<void> => {
      pauses.push(ms);
      nowMs += ms;
    };
    const terminal = { out: () => {}, error: () => {}, live, columns: () => 80, colors: createColors(false), pause };
    const pace = new Pace(terminal, () => nowMs);
    for (const spentMs of [10, 120, 10, 10, 10]) {
      nowMs += spentMs;
      await pace.hold();
    }
    return pauses;
  };
  // Due at 50, 100, 150, 200, 250 ms; made at 10, 170, 180, 190, 210.
  expect(await run(true)).toEqual([40, 10, 40]);
  expect(await run(false)).toEqual([]);
});
