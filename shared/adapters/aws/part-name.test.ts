import { expect, test } from "vitest";
import { partName } from "./part-name.ts";

test("a part bears the cluster's name", () => {
  expect(partName("blue", "reconcile")).toBe("outrigger-blue-reconcile");
});

test("what is too long is cut, and two long clusters still have two names", () => {
  const [one, other] = ["a", "b"].map((end) => partName(`${"x".repeat(99)}${end}`, "interruptions", 80));
  expect(one).toMatch(/^outrigger-x+-[0-9a-f]{8}-interruptions$/);
  expect(one).toHaveLength(80);
  expect(other).not.toBe(one);
});
