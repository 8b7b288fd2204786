import type { Outcome } from "#core/outcome.ts";
import type { Cloud } from "#ports/cloud.ts";
import type { Cluster } from "#ports/cluster.ts";
import type { HeldLease } from "./held-lease.ts";
import type { Ports } from "./ports.ts";

/** The longest that a request of each port takes with all its repetitions, ms. */
export interface RequestLimits {
  readonly clusterMs: number;
  readonly cloudMs: number;
  /** When the process may be ended from outside, ms since the epoch; absent: never. */
  readonly endAtMs?: number;
}

/** How often an invocation that waits for changes looks whether it shall leave. */
const lookMs = 1_000;

const leaseTooShort: Outcome = {
  kind: "failed",
  fault: {
    kind: "unavailable",
    code: "LeaseTooShort",
    message: "the Lease does not last as long as the request may; the next tick does it",
  },
};
const timeTooShort: Outcome = {
  kind: "failed",
  fault: {
    kind: "unavailable",
    code: "TimeTooShort",
    message: "the invocation ends before the request must; the next tick does it",
  },
};

/**
 * The same ports, whose writes start only while the Lease and the invocation outlast them, and whose waits end when a
 * successor asks.
 */
export function leasedPorts<Query, View>(
  ports: Ports<Query, View>,
  lease: HeldLease,
  limits: RequestLimits,
): Ports<Query, View> {
  const { cluster, cloud, clock } = ports;
  const { endAtMs = Number.POSITIVE_INFINITY } = limits;
  const guarded = async (requestMs: number, write: () => Promise<Outcome>): Promise<Outcome> => {
    if (endAtMs - clock.nowMs() < requestMs) return timeTooShort;
    return (await lease.mayStart(requestMs)) ? write() : leaseTooShort;
  };
  const guardedCluster: Cluster = {
    observe: cluster.observe,
    apply: (command) => guarded(limits.clusterMs, () => cluster.apply(command)),
    nextChange: async (deadlineMs, of) => {
      for (;;) {
        const woken = await cluster.nextChange(Math.min(deadlineMs, clock.nowMs() + lookMs), of);
        if (woken !== "deadline") return woken;
        await lease.renew();
        if (clock.nowMs() >= deadlineMs || lease.mustLeave()) return "deadline";
      }
    },
  };
  const guardedCloud: Cloud<Query, View> = {
    ...cloud,
    apply: (command) => guarded(limits.cloudMs, () => cloud.apply(command)),
  };
  return { ...ports, cluster: guardedCluster, cloud: guardedCloud };
}
