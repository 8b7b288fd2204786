import { expect, test } from "vitest";
import { ReadCache } from "./read-cache.ts";

test("an answer is kept for its time, a failure is not, and one may be forgotten", async () => {
  let nowMs = 0;
  const cache = new ReadCache({ nowMs: () => nowMs, sleepUntil: async () => {} });
  let asked = 0;
  const ask = async (): Promise<number> => {
    asked += 1;
    if (asked === 1) throw new Error("throttled");
    return asked;
  };
  await expect(cache.get("q", 1_000, ask)).rejects.toThrow("throttled");
  expect(await cache.get("q", 1_000, ask)).toBe(2);
  nowMs = 999;
  expect(await cache.get("q", 1_000, ask)).toBe(2);
  nowMs = 1_000;
  expect(await cache.get("q", 1_000, ask)).toBe(3);
  cache.forget("q");
  expect(await cache.get("q", 1_000, ask)).toBe(4);
});
