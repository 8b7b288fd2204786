import { expect, test } from "vitest";
import { familyOf } from "./key-families.ts";
import { isPaused, pauseKey } from "./pause.ts";

test.each([
  [{}, false],
  [{ [pauseKey]: "" }, false],
  [{ [pauseKey]: "all" }, true],
])("a state of %j holds the loop: %s", (state, expected) => {
  expect(isPaused(state)).toBe(expected);
});

test("no family owns the key, so that no housekeeping ends a pause", () => {
  expect(familyOf(pauseKey)).toBeUndefined();
});
