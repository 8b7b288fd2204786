import type { Leases } from "#ports/lease.ts";
import { type Manner, runInvocation } from "./invocation.ts";
import { acquireLease, type LeaseResult } from "./lease.ts";
import { leasedPorts, type RequestLimits } from "./leased-ports.ts";
import type { Configuration, Ports } from "./ports.ts";

/** How long a successor waits for the holder to end its writes; a holder that is dead is expired by then. */
const handoverMsMax = 30_000;

export interface Invocation {
  /** Names this invocation on the Lease; no two have the same. */
  readonly name: string;
  readonly leases: Leases;
  readonly limits: RequestLimits;
  readonly reaction: Manner["reaction"];
  /** When the process may be ended from outside, ms since the epoch; absent: never. */
  readonly endAtMs?: number;
}

/**
 * One run of `reconcile`: alone by the Lease, which it hands over when a successor asks and when it has nothing left to
 * do. A successor has the cluster listed before it asks, so that it acts at once when it is its turn.
 */
export async function runLeasedInvocation<Query, View>(
  invocation: Invocation,
  ports: Ports<Query, View>,
  configuration: Configuration<Query, View>,
): Promise<LeaseResult> {
  const { name, leases, limits, reaction, endAtMs = Number.POSITIVE_INFINITY } = invocation;
  const giveUpAtMs = ports.clock.nowMs() + handoverMsMax;
  const { cluster, clock } = ports;
  let isPrepared = false;
  const result = await acquireLease({ leases, clock }, name, giveUpAtMs, async () => {
    isPrepared = true;
    await cluster.observe("everything");
    // Begins to follow what was listed.
    await cluster.nextChange(clock.nowMs());
  });
  if (result.kind !== "held") return result;
  try {
    // A watch may not have told yet what the holder did last; without its claims their pods would get others.
    if (isPrepared) await cluster.observe("claims");
    const mustLeave = (): boolean => result.lease.mustLeave();
    const guarded = leasedPorts(ports, result.lease, { ...limits, endAtMs });
    await runInvocation(guarded, configuration, { mustLeave, reaction, endAtMs });
  } finally {
    await result.lease.release();
  }
  return result;
}
