import { next, parseCron } from "./cron.ts";
import type { CronProblem } from "./cron-field.ts";

/**
 * Whether a window that opens at each hit of the schedule and stays open for `durationMs` is open now: from the hit,
 * inclusive, to its end, exclusive. Karpenter: nodepool.go, Budget.IsActive. It differs: a schedule that never fires
 * (30 February) is never active; there it always is.
 */
export function activeWindow(scheduleText: string, durationMs: number, nowMs: number): boolean | CronProblem {
  const cron = parseCron(scheduleText);
  if ("problem" in cron) return { problem: `schedule ${JSON.stringify(scheduleText)}: ${cron.problem}` };
  const hitMs = next(cron, nowMs - durationMs);
  return hitMs !== undefined && hitMs <= nowMs;
}
