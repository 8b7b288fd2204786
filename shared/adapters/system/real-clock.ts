import { setTimeout } from "node:timers/promises";
import type { Clock } from "#ports/clock.ts";

/** The machine's own time. */
export const realClock: Clock = {
  nowMs: () => Date.now(),
  sleepUntil: async (atMs) => {
    await setTimeout(Math.max(atMs - Date.now(), 0));
  },
};
