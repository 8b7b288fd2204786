import { describe, expect, test } from "vitest";
import { VirtualClock } from "./virtual-clock.ts";

describe("VirtualClock", () => {
  test("actions due at the same moment run in the order in which they were scheduled", async () => {
    const clock = new VirtualClock(0);
    const seen: string[] = [];
    clock.at(5, () => seen.push("first"));
    clock.at(3, () => seen.push("earlier"));
    clock.at(5, () => seen.push("second"));
    await clock.runUntil(10);
    expect(seen).toEqual(["earlier", "first", "second"]);
    expect(clock.nowMs()).toBe(10);
  });

  test("each of several waits of one coroutine goes on at its own time, before the clock moves on", async () => {
    const clock = new VirtualClock(0);
    const seen: string[] = [];
    const lane = async (name: string, delays: readonly number[]): Promise<void> => {
      for (const delay of delays) {
        await clock.sleepUntil(clock.nowMs() + delay);
        // A few turns of promises that need no time.
        for (let i = 0; i < 20; i++) await Promise.resolve();
        seen.push(`${clock.nowMs()} ${name}`);
      }
    };
    clock.spawn(async () => {
      await Promise.all([lane("a", [10, 10, 10]), lane("b", [15]), lane("c", [1, 1])]);
      seen.push(`${clock.nowMs()} all`);
    });
    clock.at(12, () => seen.push("12 action"));
    await clock.runUntil(100);
    expect(seen).toEqual(["1 c", "2 c", "10 a", "12 action", "15 b", "20 a", "30 a", "30 all"]);
  });

  test("what a coroutine throws ends the run", async () => {
    const clock = new VirtualClock(0);
    clock.spawn(async () => {
      await clock.sleepUntil(5);
      throw new Error("broken");
    });
    await expect(clock.runUntil(10)).rejects.toThrow("broken");
    expect(clock.nowMs()).toBe(5);
  });

  test("a suspended coroutine is woken once, by whoever comes first", async () => {
    const clock = new VirtualClock(0);
    const seen: string[] = [];
    clock.spawn(async () => {
      const why = await clock.suspend<string>((wake) => {
        clock.at(7, () => wake("change"));
        clock.at(9, () => wake("deadline"));
      });
      seen.push(`${clock.nowMs()} ${why}`);
    });
    await clock.runUntil(20);
    expect(seen).toEqual(["7 change"]);
  });

  test("an instant at which actions never end is an error and not a hang", async () => {
    const clock = new VirtualClock(7);
    const again = (): void => clock.after(0, again);
    again();
    await expect(clock.runUntil(10)).rejects.toThrow("the simulation stands still at 7 ms");
  });

  test("a million actions at different instants are fine", async () => {
    const clock = new VirtualClock(0);
    let count = 0;
    const again = (): void => {
      count++;
      clock.after(1, again);
    };
    again();
    await clock.runUntil(1_000_100);
    expect(count).toBe(1_000_101);
  });
});
