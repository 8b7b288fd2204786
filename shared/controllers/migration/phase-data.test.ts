import { expect, test } from "vitest";
import { type Phase, phaseData } from "./view.ts";

const nowMs = 1_000;

/** The state after the phases, one after the other. */
function after(start: Readonly<Record<string, string>>, ...phases: readonly Phase[]): Readonly<Record<string, string>> {
  let state = start;
  for (const phase of phases) {
    const merged = Object.entries({ ...state, ...phaseData(phase, { nowMs, state }) });
    state = Object.fromEntries(merged.flatMap(([key, value]) => (value === null ? [] : [[key, value]])));
  }
  return state;
}

test("without a person's pause the loop is held and then not held any more", () => {
  expect(after({}, "held", "shown")).toEqual({ migration: "shown 1000", pause: "all" });
  expect(after({}, "held", "shown", "on")).toEqual({ migration: "on 1000" });
});

test.each(["voluntary until 2026-05-01T00:00:00Z", "all"])(
  "a person's pause is there again afterwards: %s",
  (pause) => {
    expect(after({ pause }, "held")).toMatchObject({ pause: "all" });
    expect(after({ pause }, "held", "shown", "on")).toEqual({ migration: "on 1000", pause });
  },
);

test("a pause of a loop that was on outlasts the way back and forth", () => {
  const state = { migration: "on 1", pause: "voluntary" };
  expect(after(state, "back")).toMatchObject({ pause: "all" });
  expect(after(state, "back", "held", "shown", "on")).toEqual({ migration: "on 1000", pause: "voluntary" });
});
