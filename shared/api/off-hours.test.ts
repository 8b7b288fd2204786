import { expect, test } from "vitest";
import { offHoursProblems } from "./off-hours.ts";

const window = { schedule: "0 20 * * mon-fri", duration: "11h", timeZone: "Europe/Berlin", nodePools: ["dev"] };

test("good windows have no problems", () => {
  expect(offHoursProblems([])).toEqual([]);
  expect(offHoursProblems([window, { schedule: "@daily", duration: "1m" }])).toEqual([]);
});

test.each([
  [{ schedule: "at eight" }, "[0].schedule cannot be read: must have exactly 5 fields"],
  [{ schedule: undefined }, "[0].schedule must be a cron schedule, as in 0 20 * * mon-fri"],
  [{ schedule: "@every 3h" }, "[0].schedule must name times of day, as in 0 20 * * mon-fri; @every has none"],
  [{ schedule: "* 20 * * *" }, "[0].schedule must name one minute of the hour, as in 0 20 * * mon-fri"],
  [{ duration: "30s" }, "[0].duration must be a duration from 1m to 744h (31 days), as in 11h"],
  [{ duration: "745h" }, "[0].duration must be a duration from 1m to 744h (31 days), as in 11h"],
  [{ duration: 11 }, "[0].duration must be a duration"],
  [{ timeZone: "Berlin" }, "[0].timeZone must be the IANA name of a time zone, as in Europe/Berlin"],
  [{ timeZone: "+02:00" }, "[0].timeZone must be the IANA name"],
  [{ timeZone: "" }, "[0].timeZone must be the IANA name"],
  [{ nodePools: [] }, "[0].nodePools must be a list of names of NodePools; leave it out for all of them"],
  [{ nodePools: "dev" }, "[0].nodePools must be a list of names of NodePools"],
  [{ pools: ["dev"] }, "[0].pools does not exist; a window has schedule, duration, timeZone, nodePools"],
])("%j is refused by the field's name", (change, problem) => {
  const [first] = offHoursProblems([{ ...window, ...change }]);
  expect(first).toContain(problem);
});

test("what is no list of windows, or too much of it, is refused", () => {
  expect(offHoursProblems(window)[0]).toContain("must be a list of windows");
  expect(offHoursProblems([window, "0 20 * * *"])).toEqual(["[1] must be an object with schedule and duration"]);
  expect(offHoursProblems(Array.from({ length: 21 }, () => window))[0]).toBe("must have at most 20 windows, it has 21");
  expect(offHoursProblems([{ ...window, nodePools: ["x".repeat(2_000)] }])[0]).toBe(
    "must have at most 2000 characters as JSON",
  );
});
