import { type Bill, type Measured, ownBill } from "./own-bill.ts";

/** Measured by `npm run bench:functions`, on a busy machine. */
export const measuredFunctions: { readonly quietTick: Measured; readonly catalogue: Measured } = {
  quietTick: { cpuMs: 26, waitMs: 75 },
  catalogue: { cpuMs: 850, waitMs: 7_000 },
};

/**
 * One pod that fits nowhere, and one node whose drain a PodDisruptionBudget refuses: what the loop is awake for them when
 * they have been there for some time, by `test/support/hard-hour.ts`.
 */
export const hardHourTimes = { awakeSecondsPerMinute: 1.34, ticksPerMinute: 2 } as const;

/** What Outrigger itself costs in a quiet cluster, 512 MB a function. */
export function quietBills(measured = measuredFunctions): Readonly<Record<string, Bill>> {
  const input = { memoryMB: 512, ...measured };
  return {
    "by the minute": ownBill({ ...input, reaction: "minute" }),
    "by the minute, a pod and a drain that cannot be helped": ownBill({
      ...input,
      ...{ reaction: "minute", ...hardHourTimes },
      // UnschedulablePods is not 0.
      furtherSeries: 1,
    }),
    "by the minute, with a fourth dashboard": ownBill({ ...input, reaction: "minute", dashboard: true }),
    "by the second": ownBill({ ...input, reaction: "seconds" }),
    "by the second, with a fourth dashboard": ownBill({ ...input, reaction: "seconds", dashboard: true }),
    "the same at 384 MB": ownBill({ ...input, reaction: "seconds", memoryMB: 384, dashboard: true }),
  };
}
