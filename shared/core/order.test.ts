import fc from "fast-check";
import { expect, test } from "vitest";
import { byKey, byText, inTurn } from "./order.ts";

test("text is compared by code units: capitals first, and no language has a say", () => {
  expect(["ä", "b", "B", "a", "z", "10", "9"].sort(byText)).toEqual(["10", "9", "B", "a", "b", "z", "ä"]);
});

test("numbers are compared as numbers", () => {
  expect([10, 9, -1].sort(byKey((n) => n))).toEqual([-1, 9, 10]);
});

test("a later order decides only among those that the earlier ones hold for equal, whatever order they come in", () => {
  const item = fc.record({ price: fc.integer({ min: 0, max: 3 }), name: fc.string({ maxLength: 2 }) });
  const order = inTurn<{ price: number; name: string }>(
    byKey(({ price }) => price),
    byKey(({ name }) => name),
  );
  fc.assert(
    fc.property(fc.array(item), (items) => {
      const sorted = [...items].sort(order);
      expect([...items].reverse().sort(order)).toEqual(sorted);
      for (const [index, { price, name }] of sorted.slice(1).entries()) {
        const before = sorted[index];
        expect(before === undefined || before.price < price || (before.price === price && before.name <= name)).toBe(
          true,
        );
      }
    }),
  );
});
