/** When a window of off-hours is open. The windows are good ones (offHoursProblems). */
import { next, parseCron } from "./cron.ts";
import { parseDuration } from "./duration.ts";
import type { OffHoursWindow } from "./off-hours.ts";
import { WallClock } from "./time-zone.ts";

/** More than clocks are ever put forward or back. */
const shiftMsMax = 3 * 60 * 60_000;
/** Hourly hits of a month, the longest a window may be, and some. */
const hitsMax = 800;

export interface OpenWindow {
  readonly window: OffHoursWindow;
  readonly untilMs: number;
}

/** The windows that are open at a time, each with when its last hit so far closes. */
export function openWindows(windows: readonly OffHoursWindow[], atMs: number): readonly OpenWindow[] {
  return windows.flatMap((window) => {
    const ends = hitsAround(window, atMs).flatMap(({ opensMs, closesMs }) =>
      opensMs <= atMs && atMs < closesMs ? [closesMs] : [],
    );
    return ends.length === 0 ? [] : [{ window, untilMs: Math.max(...ends) }];
  });
}

/** The first time after `afterMs` at which one of the windows opens; undefined when none does within five years. */
export function nextOpeningMs(windows: readonly OffHoursWindow[], afterMs: number): number | undefined {
  const times = windows.flatMap((window) => {
    const clock = clockOf(window);
    const cron = parseCron(window.schedule);
    if ("problem" in cron) return [];
    let localMs = next(cron, clock.localMs(afterMs) - shiftMsMax);
    for (let hit = 0; localMs !== undefined && hit < hitsMax; hit++) {
      const opensMs = clock.instantMs(localMs);
      if (opensMs > afterMs) return [opensMs];
      localMs = next(cron, localMs);
    }
    return [];
  });
  return times.length === 0 ? undefined : Math.min(...times);
}

interface Hit {
  readonly opensMs: number;
  readonly closesMs: number;
}

/** Every hit whose window may be open at a time. */
function hitsAround(window: OffHoursWindow, atMs: number): readonly Hit[] {
  const clock = clockOf(window);
  const cron = parseCron(window.schedule);
  const durationMs = parseDuration(window.duration);
  if ("problem" in cron || durationMs === undefined) return [];
  const nowLocalMs = clock.localMs(atMs);
  const hits: Hit[] = [];
  let localMs = next(cron, nowLocalMs - durationMs - shiftMsMax);
  while (localMs !== undefined && localMs <= nowLocalMs + shiftMsMax && hits.length < hitsMax) {
    hits.push({ opensMs: clock.instantMs(localMs), closesMs: clock.instantMs(localMs + durationMs) });
    localMs = next(cron, localMs);
  }
  return hits;
}

function clockOf({ timeZone = "UTC" }: OffHoursWindow): WallClock {
  return new WallClock(timeZone);
}
