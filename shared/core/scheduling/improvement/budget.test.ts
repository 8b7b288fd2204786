import { expect, test } from "vitest";
import { quickBudget } from "./budget.ts";

/** Steps that are made while the waste falls so after each question. */
function stepsFor(wastes: readonly number[], steps = 10_000): readonly number[] {
  const { more } = quickBudget(steps);
  return wastes.map(more);
}

test("a tick's search goes on while a slice of steps wins much, and ends where one does not", () => {
  expect(stepsFor([0.2, 0.15, 0.12, 0.1199])).toEqual([250, 250, 250, 0]);
});

test("it does not begin where next to nothing is wasted", () => {
  expect(stepsFor([0.04])).toEqual([0]);
});

test("it makes no more steps than it was given, and none of none", () => {
  expect(stepsFor([0.4, 0.3, 0.2], 300)).toEqual([250, 50, 0]);
  expect(stepsFor([0.4], 0)).toEqual([0]);
});
