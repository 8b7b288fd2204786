import { type Bill, type Measured, ownBill } from "./own-bill.ts";

/** Measured by `npm run bench:functions`, on a busy machine. */
export const measuredFunctions: { readonly quietTick: Measured; readonly catalogue: Measured } = {
  quietTick: { cpuMs: 26, waitMs: 75 },
  catalogue: { cpuMs: 850, waitMs: 7_000 },
};

/** What Outrigger itself costs in a quiet cluster, 512 MB a function. */
export function quietBills(measured = measuredFunctions): Readonly<Record<string, Bill>> {
  const input = { memoryMB: 512, ...measured };
  return {
    "by the minute": ownBill({ ...input, reaction: "minute" }),
    "by the minute, 10 s a minute awake": ownBill({ ...input, reaction: "minute", awakeSecondsPerMinute: 10 }),
    "by the second": ownBill({ ...input, reaction: "seconds" }),
  };
}
