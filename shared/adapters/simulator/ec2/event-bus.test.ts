import { describe, expect, test } from "vitest";
import type { BusMessage } from "../machine.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { badManners, EventBus, goodManners } from "./event-bus.ts";

const message = (id: string): BusMessage => ({
  ...{ version: "0", id, "detail-type": "x", source: "aws.ec2", account: "1", time: "", region: "r" },
  resources: [],
  detail: {},
});

async function delivered(manners: typeof goodManners): Promise<readonly string[]> {
  const clock = new VirtualClock(0);
  const bus = new EventBus(clock, 5, [100, 100], manners);
  const seen: string[] = [];
  bus.subscribe(({ id }) => seen.push(id));
  for (let i = 0; i < 60; i++) clock.at(i * 1_000, () => bus.publish(message(String(i).padStart(2, "0"))));
  await clock.runUntil(600_000);
  return seen;
}

describe("EventBus", () => {
  test("with good manners each message comes once and in order", async () => {
    const seen = await delivered(goodManners);
    expect(seen).toHaveLength(60);
    expect(seen).toEqual([...seen].sort());
  });

  test("with bad manners none is lost, some come twice, some late", async () => {
    const seen = await delivered(badManners);
    expect(new Set(seen).size).toBe(60);
    expect(seen.length).toBeGreaterThan(60);
    expect(seen).not.toEqual([...seen].sort());
    expect(await delivered(badManners)).toEqual(seen);
  });
});
