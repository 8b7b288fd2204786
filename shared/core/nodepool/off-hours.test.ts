import { describe, expect, test } from "vitest";
import type { OffHoursWindow } from "#api/off-hours.ts";
import { defaultSettings } from "../settings.ts";
import { nextTurnMs, restEndInWords, restInWords, restOf } from "./off-hours.ts";

const berlin = "Europe/Berlin";
const nights: OffHoursWindow = { schedule: "0 20 * * mon-fri", duration: "11h", timeZone: berlin };
const weekends: OffHoursWindow = { schedule: "0 7 * * sat", duration: "48h", timeZone: berlin };
const sundayNight: OffHoursWindow = { schedule: "0 6 * * sun", duration: "25h", timeZone: "UTC" };

function words(offHours: readonly OffHoursWindow[], at: string, pool = "dev"): string | undefined {
  const nowMs = Date.parse(at);
  const rest = restOf({ settings: { ...defaultSettings, offHours }, nowMs }, pool);
  return rest === undefined ? undefined : restInWords(rest, nowMs);
}

describe("a NodePool", () => {
  test("works without windows, and outside of them", () => {
    expect(words([], "2026-12-01T23:00:00Z")).toBeUndefined();
    expect(words([nights], "2026-12-01T12:00:00Z")).toBeUndefined();
  });

  test("rests in a window that names it, or no pool at all", () => {
    expect(words([nights], "2026-12-01T23:00:00Z")).toBe("rests until 07:00 Europe/Berlin");
    expect(words([{ ...nights, nodePools: ["dev"] }], "2026-12-01T23:00:00Z")).toBe("rests until 07:00 Europe/Berlin");
    expect(words([{ ...nights, nodePools: ["test"] }], "2026-12-01T23:00:00Z")).toBeUndefined();
  });

  test("rests until the last of windows that follow one another or overlap, in the zone of that one", () => {
    expect(words([nights, weekends], "2026-12-04T23:00:00Z")).toBe("rests until 2026-12-07 07:00 Europe/Berlin");
    expect(words([sundayNight, weekends, nights], "2026-12-04T23:00:00Z")).toBe("rests until 2026-12-07 07:00 UTC");
  });

  test("with windows that never end rests without an end in sight", () => {
    const always: OffHoursWindow = { schedule: "@daily", duration: "24h" };
    expect(words([always], "2026-12-04T23:00:00Z")).toBe("rests without an end in sight");
    const now = { settings: { ...defaultSettings, offHours: [always] }, nowMs: Date.parse("2026-12-04T23:00:00Z") };
    expect(restEndInWords({ untilMs: undefined, timeZone: "UTC" })).toBeUndefined();
    expect(nextTurnMs(now, "dev")).toBeUndefined();
  });

  test("turns when its next window opens, and when the present ones close", () => {
    const turn = (at: string) =>
      nextTurnMs({ settings: { ...defaultSettings, offHours: [nights] }, nowMs: Date.parse(at) }, "dev");
    expect(turn("2026-12-01T12:00:00Z")).toBe(Date.parse("2026-12-01T19:00:00Z"));
    expect(turn("2026-12-01T19:00:00Z")).toBe(Date.parse("2026-12-02T06:00:00Z"));
  });
});
