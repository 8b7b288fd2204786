import { expect, test } from "vitest";
import { PairNumbers } from "./pair-numbers.ts";

test("each pair has a number of its own, in the order in which they come", () => {
  const pairs = new PairNumbers();
  expect([pairs.of(0, 0), pairs.of(1, 0), pairs.of(0, 1), pairs.of(99_999, 99_999)]).toEqual([0, 1, 2, 3]);
  expect([pairs.of(99_999, 99_999), pairs.of(0, 1), pairs.of(1, 0), pairs.of(0, 0)]).toEqual([3, 2, 1, 0]);
});
