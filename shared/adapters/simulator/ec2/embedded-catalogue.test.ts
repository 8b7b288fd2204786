import { describe, expect, test } from "vitest";
import { embeddedCatalogue, KeptCatalogue } from "./embedded-catalogue.ts";

const hourMs = 3_600_000;

describe("the embedded catalogue", () => {
  test("holds at least 150 types of us-east-1, each with a price for every zone that it is sold in", () => {
    const { region, types } = embeddedCatalogue();
    expect(region).toBe("us-east-1");
    expect(types.length).toBeGreaterThanOrEqual(150);
    for (const type of types) {
      expect(type.onDemandPerHour).toBeGreaterThan(0);
      const isSpot = type.usageClasses.includes("spot");
      expect(type.zones.every((zone) => !isSpot || (type.spotPerHour[zone] ?? 0) > 0)).toBe(true);
    }
  });

  test("is kept: the same object within an hour, and never older than one", () => {
    const kept = new KeptCatalogue(embeddedCatalogue());
    const first = kept.at(100 * hourMs + 1);
    expect(first.writtenAtMs).toBe(100 * hourMs);
    expect(kept.at(101 * hourMs - 1)).toBe(first);
    expect(kept.at(172 * hourMs).writtenAtMs).toBe(172 * hourMs);
  });
});
