import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { formatTime } from "#api/time.ts";
import { nextTurnMs, restEndInWords, restOf } from "#core/nodepool/off-hours.ts";
import type { Snapshot } from "#core/snapshot.ts";

/** Whether the pool rests, and the windows in which it does; none without windows. */
export function offHoursRows(snapshot: Snapshot, { metadata }: NodePool): readonly string[] {
  const { name } = metadata;
  const windows = snapshot.settings.offHours.filter(({ nodePools }) => nodePools?.includes(name) !== false);
  if (windows.length === 0) return [];
  const rest = restOf(snapshot, name);
  const opensMs = rest === undefined ? nextTurnMs(snapshot, name) : undefined;
  const state =
    rest === undefined
      ? `works${opensMs === undefined ? "" : ` until ${formatTime(opensMs)}`}`
      : `rests${rest.untilMs === undefined ? " without an end in sight" : ` until ${restEndInWords(rest)}`}: its nodes go and no new ones are made`;
  return [
    state,
    ...windows.map(({ schedule, duration, timeZone = "UTC" }) => `from "${schedule}" (${timeZone}) on for ${duration}`),
  ];
}
