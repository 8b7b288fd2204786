/**
 * Which NodePools rest, and until when. Karpenter counterpart: none; its users set `limits` to nothing at night and delete
 * nodes by a cron job. Here windows of the settings say it.
 */
import { nextOpeningMs, openWindows } from "#api/off-hours-window.ts";
import { WallClock } from "#api/time-zone.ts";
import type { Settings } from "../settings.ts";
import type { Snapshot } from "../snapshot.ts";

export interface Rest {
  /** Undefined: windows follow one another for as long as one looks ahead. */
  readonly untilMs: number | undefined;
  /** Of the window that is open last. */
  readonly timeZone: string;
}

type Now = Pick<Snapshot, "settings" | "nowMs">;

/** Windows that follow one another without a break, at most; nights and a weekend are three. */
const followingMax = 100;
const dayMs = 24 * 60 * 60_000;

/** Undefined: the pool works. */
export function restOf({ settings, nowMs }: Now, nodePool: string): Rest | undefined {
  const windows = windowsOf(settings, nodePool);
  let last = lastOpen(windows, nowMs);
  if (last === undefined) return undefined;
  for (let following = 0; following < followingMax; following++) {
    const after = lastOpen(windows, last.untilMs);
    if (after === undefined) return last;
    last = after;
  }
  return { untilMs: undefined, timeZone: last.timeZone };
}

/** When the pool begins to rest, or to work again. */
export function nextTurnMs(now: Now, nodePool: string): number | undefined {
  const rest = restOf(now, nodePool);
  return rest === undefined ? nextOpeningMs(windowsOf(now.settings, nodePool), now.nowMs) : rest.untilMs;
}

/** As `rests until 07:00 Europe/Berlin`, with the day where that is more than a day away. */
export function restInWords({ untilMs, timeZone }: Rest, nowMs: number): string {
  if (untilMs === undefined) return "rests without an end in sight";
  const [day, time] = new WallClock(timeZone).text(untilMs).split(" ");
  return `rests until ${untilMs - nowMs > dayMs ? `${day} ` : ""}${time} ${timeZone}`;
}

/** As `2026-12-02 07:00 Europe/Berlin`: the same all the while. */
export function restEndInWords({ untilMs, timeZone }: Rest): string | undefined {
  return untilMs === undefined ? undefined : `${new WallClock(timeZone).text(untilMs)} ${timeZone}`;
}

function windowsOf({ offHours }: Settings, nodePool: string): Settings["offHours"] {
  return offHours.filter(({ nodePools }) => nodePools === undefined || nodePools.includes(nodePool));
}

function lastOpen(
  windows: Settings["offHours"],
  atMs: number,
): { readonly untilMs: number; readonly timeZone: string } | undefined {
  const open = openWindows(windows, atMs).map(({ window, untilMs }) => ({
    untilMs,
    timeZone: window.timeZone ?? "UTC",
  }));
  return open.reduce<(typeof open)[number] | undefined>(
    (last, one) => (last === undefined || one.untilMs > last.untilMs ? one : last),
    undefined,
  );
}
