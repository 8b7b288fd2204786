import { describe, expect, test } from "vitest";
import { cheapest, chooseSpotPool } from "./pool-choice.ts";

const option = (instanceType: string, zone: string, pricePerHour: number) => ({ instanceType, zone, pricePerHour });

describe("cheapest", () => {
  test("takes the lowest price, then the first by type and zone, whatever the order given", () => {
    const options = [option("b", "z2", 1), option("b", "z1", 1), option("c", "z1", 0.9), option("a", "z9", 2)];
    expect(cheapest(options)).toEqual(option("c", "z1", 0.9));
    expect(cheapest([...options.slice(0, 2), option("a", "z9", 1)])).toEqual(option("a", "z9", 1));
    expect(cheapest([])).toBeUndefined();
  });
});

describe("chooseSpotPool", () => {
  const options = ["a", "b", "c", "d"].flatMap((type, i) =>
    ["z1", "z2"].map((zone) => option(type, zone, 0.1 * (1 + i / 4))),
  );

  test("prefers cheap pools without always taking the cheapest", () => {
    const counts = new Map<number, number>();
    for (let i = 0; i < 500; i++) {
      const price = chooseSpotPool(options, 3, `launch ${i}`)?.pricePerHour ?? 0;
      counts.set(price, (counts.get(price) ?? 0) + 1);
    }
    const cheap = counts.get(0.1) ?? 0;
    expect(cheap).toBeGreaterThan(250);
    expect(cheap).toBeLessThan(490);
    expect(counts.get(0.1 * 1.75) ?? 0).toBeLessThan(cheap);
  });

  test("the same seed and question choose the same, in whatever order the options come", () => {
    expect(chooseSpotPool([...options].reverse(), 3, "x")).toEqual(chooseSpotPool(options, 3, "x"));
    expect(chooseSpotPool([], 3, "x")).toBeUndefined();
  });
});
