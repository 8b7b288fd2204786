import { expect, test } from "vitest";
import type { OffHoursWindow } from "#api/off-hours.ts";
import { nodePool, snapshotOf } from "../../test/support/scheduling-objects.ts";
import { offHoursRows } from "./off-hours.ts";

const noon: OffHoursWindow = { schedule: "0 12 * * *", duration: "1h" };
const night: OffHoursWindow = { schedule: "0 20 * * *", duration: "11h", timeZone: "Europe/Berlin" };

/** Of the pool `dev`, at noon UTC. */
function rows(...offHours: readonly OffHoursWindow[]): readonly string[] {
  return offHoursRows(snapshotOf({}, [], { offHours }), nodePool("dev"));
}

test("a pool that rests says until when, by which windows", () => {
  expect(rows(noon, night)).toEqual([
    "rests until 2026-01-01 13:00 UTC: its nodes go and no new ones are made",
    'from "0 12 * * *" (UTC) on for 1h',
    'from "0 20 * * *" (Europe/Berlin) on for 11h',
  ]);
});

test("one that works says until when; without windows of its own there is nothing to say", () => {
  expect(rows(night)[0]).toBe("works until 2026-01-01T19:00:00Z");
  expect(rows({ ...night, nodePools: ["prod"] })).toEqual([]);
});

test("one that always rests says so", () => {
  expect(rows({ schedule: "@daily", duration: "24h" })[0]).toBe(
    "rests without an end in sight: its nodes go and no new ones are made",
  );
});
