import { randomFrom } from "#core/random.ts";

const minuteMs = 60_000;
/** EventBridge Scheduler delivers at least once and, rarely, late or not at all; rarer than this in truth. */
const doubledShare = 0.05;
const lostShare = 0.05;
/** A second delivery comes within a few seconds of the first. */
const doubleMsMax = 5_000;

/**
 * When the scheduled ticks arrive, ms, in order: once a minute at a second that nobody chose, sometimes twice, sometimes
 * not. The first is never lost, so that a run begins within its first minute.
 */
export function tickTimes(seed: number, fromMs: number, untilMs: number): readonly number[] {
  const random = randomFrom(seed);
  const times: number[] = [];
  for (let minute = fromMs; minute < untilMs; minute += minuteMs) {
    const atMs = minute + Math.floor(random() * minuteMs);
    const luck = random();
    if (luck < lostShare && minute > fromMs) continue;
    times.push(atMs);
    if (luck > 1 - doubledShare) times.push(atMs + Math.floor(random() * doubleMsMax));
  }
  return times.filter((atMs) => atMs < untilMs).sort((a, b) => a - b);
}
