import { describe, expect, test } from "vitest";
import { problemOf } from "../../../cli/solve/read-problem.ts";
import { features } from "./features.ts";
import { generate } from "./generate.ts";
import { Random } from "./random.ts";

const seeds = Array.from({ length: 80 }, (_, seed) => seed);

describe("generated problems", () => {
  test("are the same for the same seed, and others for another", () => {
    expect(generate(17)).toEqual(generate(17));
    expect(generate(17).problem).not.toEqual(generate(18).problem);
  });

  test("can all be read", () => {
    for (const seed of seeds) expect(problemOf(generate(seed).problem).pods.length).toBeGreaterThan(0);
  });

  test("exercise every feature, large ones and real types among them", () => {
    const all = seeds.map(generate);
    const used = new Set(all.flatMap((one) => one.features));
    expect(features.filter((feature) => !used.has(feature))).toEqual([]);
    expect(all.some(({ problem }) => problem.pods.length > 150)).toBe(true);
    expect(all.some(({ problem }) => problem.instanceTypes.some(({ name }) => name.startsWith("m")))).toBe(true);
  });
});

describe("the random sequence", () => {
  test("is mulberry32", () => {
    const random = new Random(42);
    expect([random.u32(), random.u32(), random.u32()]).toEqual([2581720956, 1925393290, 3661312704]);
  });

  test("keeps to its bounds", () => {
    const random = new Random(1);
    const drawn = Array.from({ length: 500 }, () => random.between(3, 5));
    expect(new Set(drawn)).toEqual(new Set([3, 4, 5]));
    expect(random.some([1, 2, 3, 4], 2)).toHaveLength(2);
  });
});
