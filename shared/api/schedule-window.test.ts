import { describe, expect, test } from "vitest";
import { activeWindow } from "./schedule-window.ts";

const hour = 3_600_000;

function active(schedule: string, durationMs: number, iso: string): ReturnType<typeof activeWindow> {
  return activeWindow(schedule, durationMs, Date.parse(iso));
}

describe("a window of a schedule", () => {
  test.each([
    ["2026-01-05T08:59:59.999Z", false],
    ["2026-01-05T09:00:00.000Z", true],
    ["2026-01-05T13:00:00.000Z", true],
    ["2026-01-05T16:59:59.999Z", true],
    ["2026-01-05T17:00:00.000Z", false],
    ["2026-01-03T12:00:00.000Z", false],
  ])(
    "of eight hours from nine on weekdays at %s is open: %s (the start belongs to it, the end does not)",
    (iso, open) => {
      expect(active("0 9 * * mon-fri", 8 * hour, iso)).toBe(open);
    },
  );

  test("reaches over midnight and the turn of the year", () => {
    expect(active("0 22 31 12 *", 8 * hour, "2026-01-01T05:59:00Z")).toBe(true);
    expect(active("0 22 31 12 *", 8 * hour, "2026-01-01T06:00:00Z")).toBe(false);
  });

  test("that is longer than the time between hits is always open", () => {
    expect(active("@hourly", 2 * hour, "2026-01-01T00:30:00Z")).toBe(true);
  });

  test("without length is never open", () => {
    expect(active("* * * * *", 0, "2026-01-01T00:00:00Z")).toBe(false);
  });

  test("whose schedule never fires is never open", () => {
    expect(active("0 0 30 2 *", 24 * hour, "2026-03-01T00:00:00Z")).toBe(false);
  });

  test("whose schedule cannot be read says which and why", () => {
    expect(active("0 0 * * sat-sun", 24 * hour, "2026-01-03T12:00:00Z")).toEqual({
      problem: 'schedule "0 0 * * sat-sun": day of week "sat-sun": beginning of range 6 beyond end 0; write sat,sun',
    });
  });
});
