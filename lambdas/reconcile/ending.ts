import type { LeaseResult } from "#controllers/lease.ts";
import type { Log } from "../../shared/adapters/telemetry/tick-log.ts";

/** What an invocation answers, for whoever called it by hand. */
export interface Ending {
  readonly ended: LeaseResult["kind"];
}

/** Says why an invocation did nothing. Throws when the Lease could not be had for a fault: that is an error of the function. */
export function endingOf(result: LeaseResult, log: Log): Ending {
  switch (result.kind) {
    case "held":
      break;
    case "karpenter-alive":
      log.warn("Karpenter runs in the cluster and holds its lease: nothing is done beside it", {
        holder: result.holder,
      });
      break;
    case "busy":
      log.info("another invocation is at work", { holder: result.holder });
      break;
    case "failed":
      throw new Error(`the Lease could not be had: ${result.fault.message} (${result.fault.code})`);
  }
  return { ended: result.kind };
}
