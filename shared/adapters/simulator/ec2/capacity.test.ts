import { describe, expect, test } from "vitest";
import { Capacity } from "./capacity.ts";

const pool = { instanceType: "m5.large", zone: "us-east-1a", capacityType: "spot" };

describe("Capacity", () => {
  test("a limit counts the instances that are up, and ends at its time", () => {
    const capacity = new Capacity();
    capacity.limit({ instanceType: "m5.large" }, 2, 1_000);
    capacity.take(pool);
    expect(capacity.has(pool, 0)).toBe(true);
    capacity.take(pool);
    expect(capacity.has(pool, 0)).toBe(false);
    expect(capacity.has({ ...pool, zone: "us-east-1b" }, 0)).toBe(true);
    expect(capacity.has(pool, 1_000)).toBe(true);
    capacity.giveBack(pool);
    expect(capacity.has(pool, 0)).toBe(true);
  });

  test("the latest limit that covers a pool decides, and unlimit forgets all", () => {
    const capacity = new Capacity();
    capacity.limit({}, 0);
    capacity.limit({ capacityType: "spot" }, 1);
    expect(capacity.has(pool, 0)).toBe(true);
    expect(capacity.has({ ...pool, capacityType: "on-demand" }, 0)).toBe(false);
    capacity.unlimit();
    expect(capacity.has({ ...pool, capacityType: "on-demand" }, 0)).toBe(true);
  });
});
