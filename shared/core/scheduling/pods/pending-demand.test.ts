import { expect, test } from "vitest";
import { PendingDemand } from "./pending-demand.ts";

const small = Float64Array.of(1, 2);

test("all that waits is counted in such pods, by the resource that runs out first", () => {
  const demand = new PendingDemand("all", 2);
  demand.expect(Float64Array.of(10, 10), 1);
  expect(demand.timesOf(small, 1)).toBe(5);
  demand.expect(Float64Array.of(10, 10), -1);
  expect(demand.timesOf(small, 3)).toBe(3);
});

test("where others are not reckoned with, the class's own pods count, or nobody else", () => {
  const [own, none] = [new PendingDemand("class", 2), new PendingDemand("none", 2)];
  for (const demand of [own, none]) demand.expect(Float64Array.of(100, 100), 9);
  expect([own.timesOf(small, 4), none.timesOf(small, 4)]).toEqual([4, 1]);
});
