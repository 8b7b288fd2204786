import { describe, expect, test } from "vitest";
import type { OffHoursWindow } from "./off-hours.ts";
import { nextOpeningMs, openWindows } from "./off-hours-window.ts";

const berlin = "Europe/Berlin";
const night: OffHoursWindow = { schedule: "0 20 * * *", duration: "11h", timeZone: berlin };

/** When the window closes that is open then; undefined when it is shut. */
function closes(window: OffHoursWindow, at: string): string | undefined {
  const [open] = openWindows([window], Date.parse(at));
  return open === undefined ? undefined : new Date(open.untilMs).toISOString();
}

function opens(windows: readonly OffHoursWindow[], after: string): string | undefined {
  const atMs = nextOpeningMs(windows, Date.parse(after));
  return atMs === undefined ? undefined : new Date(atMs).toISOString();
}

describe("a window", () => {
  test("is open from its hit to its end, across midnight, by its own clock", () => {
    expect(closes(night, "2026-12-01T18:59:59.999Z")).toBeUndefined();
    expect(closes(night, "2026-12-01T19:00:00Z")).toBe("2026-12-02T06:00:00.000Z");
    expect(closes(night, "2026-12-02T05:59:59.999Z")).toBe("2026-12-02T06:00:00.000Z");
    expect(closes(night, "2026-12-02T06:00:00Z")).toBeUndefined();
  });

  test("is in UTC when it names no zone", () => {
    expect(closes({ schedule: "@daily", duration: "1h" }, "2026-12-01T00:30:00Z")).toBe("2026-12-01T01:00:00.000Z");
  });

  test("keeps to its days", () => {
    const weekend: OffHoursWindow = { schedule: "0 20 * * fri", duration: "59h", timeZone: berlin };
    expect(closes(weekend, "2026-12-04T18:00:00Z")).toBeUndefined();
    expect(closes(weekend, "2026-12-06T12:00:00Z")).toBe("2026-12-07T06:00:00.000Z");
    expect(closes(weekend, "2026-12-08T19:30:00Z")).toBeUndefined();
  });

  test("closes with the last of hits that overlap", () => {
    const long: OffHoursWindow = { schedule: "0 20 * * *", duration: "30h" };
    expect(closes(long, "2026-12-02T21:00:00Z")).toBe("2026-12-04T02:00:00.000Z");
  });

  test("closes at seven by the clock in the nights in which clocks change", () => {
    // Put forward: ten hours. Put back: twelve.
    expect(closes(night, "2026-03-28T19:00:00Z")).toBe("2026-03-29T05:00:00.000Z");
    expect(closes(night, "2026-10-24T18:00:00Z")).toBe("2026-10-25T06:00:00.000Z");
  });

  test("of an hour that is left out opens after the change, of one that comes twice with the first", () => {
    const early: OffHoursWindow = { schedule: "30 2 * * *", duration: "2h", timeZone: berlin };
    expect(opens([early], "2026-03-29T00:00:00Z")).toBe("2026-03-29T01:30:00.000Z");
    expect(closes(early, "2026-03-29T01:30:00Z")).toBe("2026-03-29T02:30:00.000Z");
    expect(opens([early], "2026-10-24T12:00:00Z")).toBe("2026-10-25T00:30:00.000Z");
    expect(closes(early, "2026-10-25T00:30:00Z")).toBe("2026-10-25T03:30:00.000Z");
    // It came once: the second 02:30 opens nothing.
    expect(opens([early], "2026-10-25T00:30:00Z")).toBe("2026-10-26T01:30:00.000Z");
  });

  test("is right on the other side of the world, where the day is another one", () => {
    const auckland: OffHoursWindow = { schedule: "0 22 * * fri", duration: "8h", timeZone: "Pacific/Auckland" };
    expect(closes(auckland, "2026-12-04T09:00:00Z")).toBe("2026-12-04T17:00:00.000Z");
    expect(closes(auckland, "2026-12-04T08:59:00Z")).toBeUndefined();
  });
});

describe("the next opening", () => {
  test("is that of the window that opens first", () => {
    const noon: OffHoursWindow = { schedule: "0 12 * * *", duration: "1h" };
    expect(opens([night, noon], "2026-12-01T10:00:00Z")).toBe("2026-12-01T12:00:00.000Z");
    expect(opens([night, noon], "2026-12-01T12:00:00Z")).toBe("2026-12-01T19:00:00.000Z");
  });

  test("is none for a schedule that never fires", () => {
    const never: OffHoursWindow = { schedule: "0 0 30 2 *", duration: "1h" };
    expect(opens([never], "2026-12-01T10:00:00Z")).toBeUndefined();
    expect(closes(never, "2026-12-01T10:00:00Z")).toBeUndefined();
  });
});
