import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  add,
  type Bitset,
  both,
  countOf,
  emptyBitset,
  fullBitset,
  has,
  hashOf,
  include,
  indicesOf,
  isEmpty,
  isSame,
} from "./bitset.ts";
import { ThresholdIndex } from "./threshold-index.ts";

const size = 70;
const members = fc.uniqueArray(fc.integer({ min: 0, max: size - 1 })).map((list) => list.sort((a, b) => a - b));
const bitsOf = (list: readonly number[]): Bitset => {
  const bits = emptyBitset(size);
  for (const index of list) add(bits, index);
  return bits;
};

describe("a bitset behaves as a set", () => {
  test("members are found, counted and listed in order", () => {
    fc.assert(
      fc.property(members, (list) => {
        const bits = bitsOf(list);
        expect(indicesOf(bits)).toEqual(list);
        expect(countOf(bits)).toBe(list.length);
        expect(isEmpty(bits)).toBe(list.length === 0);
        for (let i = 0; i < size; i++) expect(has(bits, i)).toBe(list.includes(i));
      }),
    );
  });

  test("intersection and union", () => {
    fc.assert(
      fc.property(members, members, (a, b) => {
        expect(indicesOf(both(bitsOf(a), bitsOf(b)))).toEqual(a.filter((index) => b.includes(index)));
        const union = bitsOf(a);
        include(union, bitsOf(b));
        expect(countOf(union)).toBe(new Set([...a, ...b]).size);
      }),
    );
  });

  test("equal sets are the same and have one hash, others are not the same", () => {
    fc.assert(
      fc.property(members, fc.integer({ min: 0, max: size - 1 }), (list, other) => {
        const bits = bitsOf(list);
        expect(isSame(bits, bitsOf(list))).toBe(true);
        expect(hashOf(bits)).toBe(hashOf(bitsOf(list)));
        const changed = bits.slice();
        changed[other >>> 5] = (changed[other >>> 5] ?? 0) ^ (1 << (other & 31));
        expect(isSame(bits, changed)).toBe(false);
      }),
    );
  });

  test.each([0, 1, 31, 32, 33, 64])("the full set of %i has so many members", (count) => {
    expect(indicesOf(fullBitset(count))).toEqual(Array.from({ length: count }, (_, i) => i));
  });
});

test("thresholds find the members with at least, or at most, an amount", () => {
  const amounts = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 50 });
  fc.assert(
    fc.property(amounts, fc.integer({ min: -1, max: 13 }), (list, amount) => {
      const index = new ThresholdIndex(list);
      const indices = [...list.keys()];
      const [enough, little] = [fullBitset(list.length), fullBitset(list.length)];
      index.keepAtLeast(enough, amount);
      index.keepAtMost(little, amount);
      expect(indicesOf(enough)).toEqual(indices.filter((i) => (list[i] ?? 0) >= amount));
      expect(indicesOf(little)).toEqual(indices.filter((i) => (list[i] ?? 0) <= amount));
    }),
  );
});
