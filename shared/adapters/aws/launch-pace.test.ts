import { expect, test } from "vitest";
import type { Clock } from "#ports/clock.ts";
import { LaunchPace } from "./launch-pace.ts";

/** Time passes only where somebody waits. */
class WaitedTime implements Clock {
  #nowMs = 0;
  readonly nowMs = (): number => this.#nowMs;
  readonly sleepUntil = async (atMs: number): Promise<void> => {
    this.#nowMs = Math.max(this.#nowMs, atMs);
  };
}

async function turns(pace: LaunchPace, clock: Clock, count: number): Promise<readonly number[]> {
  const times: number[] = [];
  await Promise.all(Array.from({ length: count }, () => pace.turn().then(() => times.push(clock.nowMs()))));
  return times;
}

test("twenty go at once, then five a second", async () => {
  const clock = new WaitedTime();
  const times = await turns(new LaunchPace(clock), clock, 30);
  expect(times.filter((atMs) => atMs === 0)).toHaveLength(20);
  expect(times.slice(20)).toEqual([200, 400, 600, 800, 1000, 1200, 1400, 1600, 1800, 2000]);
});

test("turns come in the order in which they were asked for", async () => {
  const pace = new LaunchPace(new WaitedTime());
  const order: number[] = [];
  await Promise.all(Array.from({ length: 40 }, (_, i) => pace.turn().then(() => order.push(i))));
  expect(order).toEqual(Array.from({ length: 40 }, (_, i) => i));
});

test("the refusals of one burst halve the pace once", async () => {
  const clock = new WaitedTime();
  const pace = new LaunchPace(clock);
  for (let i = 0; i < 20; i++) {
    pace.throttled();
    await clock.sleepUntil(i * 50);
  }
  const [first = 0, second = 0] = await turns(pace, clock, 2);
  expect(second - first).toBe(400);
});

test("each burst of refusals halves the pace and ends the burst, down to one in four seconds", async () => {
  const clock = new WaitedTime();
  const pace = new LaunchPace(clock);
  pace.throttled();
  expect(await turns(pace, clock, 3)).toEqual([400, 800, 1200]);
  for (let i = 0; i < 10; i++) {
    await clock.sleepUntil(clock.nowMs() + 2_000);
    pace.throttled();
  }
  const [first = 0, second = 0] = await turns(pace, clock, 2);
  expect(second - first).toBe(4_000);
});

test("half a minute without a refusal doubles the pace again, up to the first one", async () => {
  const clock = new WaitedTime();
  const pace = new LaunchPace(clock);
  pace.throttled();
  await clock.sleepUntil(31_000);
  await turns(pace, clock, 20);
  const [first = 0, second = 0] = await turns(pace, clock, 2);
  expect(second - first).toBe(200);
});
