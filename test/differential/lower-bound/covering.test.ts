import { describe, expect, test } from "vitest";
import { type Covering, lowerBound } from "./covering.ts";
import { bestFilling } from "./packing.ts";

const row = (...values: readonly number[]): Float64Array => Float64Array.from(values);

/** Items take cpu and memory; machines are sold. */
function covering(
  wanted: readonly number[],
  takes: readonly (readonly number[])[],
  kinds: readonly (readonly [number, readonly number[]])[],
  standing: readonly (readonly number[])[] = [],
): Covering {
  const holds = wanted.map(() => true);
  return {
    wanted: row(...wanted),
    takes: takes.map((one) => row(...one)),
    kinds: kinds.map(([price, room]) => ({ price, room: row(...room), holds })),
    standing: standing.map((room) => ({ room: row(...room), holds })),
  };
}

describe("the best filling", () => {
  test("mixes items that take different things", () => {
    // 4 a + b ≤ 8 and a + 4 b ≤ 8: best at a = b = 1.6.
    const filling = bestFilling(row(1, 1), [row(4, 1), row(1, 4)], row(8, 8));
    expect(filling?.worth).toBeCloseTo(3.2, 9);
    expect([...(filling?.amounts ?? [])]).toEqual([expect.closeTo(1.6, 9), expect.closeTo(1.6, 9)]);
  });

  test("leaves out what is worth nothing, and is empty in no room", () => {
    expect(bestFilling(row(0, 1), [row(1, 1)], row(3))?.amounts[0]).toBe(0);
    expect(bestFilling(row(1), [row(1)], row(0))?.worth).toBe(0);
  });

  test("has no bound when an item takes nothing", () => {
    expect(bestFilling(row(1), [row(0)], row(1))).toBeUndefined();
  });
});

describe("the lower bound", () => {
  test("is the price of the resources when one kind is sold", () => {
    // 10 pods of 1 cpu on machines of 4 cpu for 3: 2.5 machines.
    expect(lowerBound(covering([10], [[1]], [[3, [4]]]))).toBeCloseTo(7.5, 5);
  });

  test("puts items that complete each other on one machine", () => {
    // Alone each item fills a machine; together both fit.
    const takes = [
      [1, 0],
      [0, 1],
    ];
    expect(lowerBound(covering([5, 5], takes, [[2, [1, 1]]]))).toBeCloseTo(10, 5);
  });

  test("takes the kind that is cheapest for what is wanted", () => {
    const kinds = [
      [1, [1]],
      [3, [4]],
    ] as const;
    expect(lowerBound(covering([8], [[1]], kinds))).toBeCloseTo(6, 5);
  });

  test("gives each item of a group a machine of its own", () => {
    // Row two: at most one of the group on a machine.
    expect(lowerBound(covering([7], [[0.1], [1]], [[2, [1, 1]]]))).toBeCloseTo(14, 5);
  });

  test("takes off what standing machines can hold", () => {
    expect(lowerBound(covering([10], [[1]], [[3, [4]]], [[4]]))).toBeCloseTo(4.5, 5);
    expect(lowerBound(covering([3], [[1]], [[3, [4]]], [[4]]))).toBe(0);
  });

  test("is still a bound when stopped at once", () => {
    const early = lowerBound(covering([10], [[1]], [[3, [4]]]), performance.now() - 1);
    expect(early).toBeLessThanOrEqual(7.5);
  });
});
