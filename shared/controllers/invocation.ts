import type { Settings } from "#core/settings.ts";
import { isPaused } from "#core/state/pause.ts";
import type { Clock } from "#ports/clock.ts";
import type { Cluster, Woken } from "#ports/cluster.ts";
import type { TickReport } from "#ports/telemetry.ts";
import type { Configuration, Ports } from "./ports.ts";
import { reconcile } from "./reconcile.ts";

/** How long one invocation may stay, ms; the function's own timeout lies 30 s above it. */
const stayMsMax = 150_000;
/** A deadline further away than this is the next scheduled tick's. */
const deadlineMsMax = 60_000;
/** After a tick that changed something, how soon the next one looks again at the latest. */
const againAfterChangeMs = 1_000;
/** Nodes that join at about the same time are registered together, ms; a node that is ready does not wait for pods. */
const joinIdleMs = 250;
/** What a tick may need: none is begun with less time left, ms. */
const tickMsMax = 30_000;
/** Bound of the loop; a stay of 150 s at one tick a second never reaches it. */
const ticksMax = 1_000;

export interface Manner {
  /** A successor waits: nothing more is begun. */
  readonly mustLeave: () => boolean;
  /** "seconds": stays until its time is over although there is no work, and so hears of the next at once. */
  readonly reaction: "minute" | "seconds";
  /** When the process may be ended from outside, ms since the epoch; absent: never. */
  readonly endAtMs?: number;
}

const usualManner: Manner = { mustLeave: () => false, reaction: "minute" };

/**
 * Ticks, and stays only while there is work and nothing holds the loop: the last tick changed something, or a deadline or retry falls within a
 * minute. Between ticks it sleeps until an object changes, then gathers the pods that arrive together as Karpenter's
 * batcher does (1 s idle, 10 s at most); a node that joins is not kept waiting for them.
 */
export async function runInvocation<Query, View>(
  ports: Ports<Query, View>,
  configuration: Configuration<Query, View>,
  { mustLeave, reaction, endAtMs = Number.POSITIVE_INFINITY }: Manner = usualManner,
): Promise<void> {
  const leaveAtMs = Math.min(ports.clock.nowMs() + stayMsMax, endAtMs - tickMsMax);
  const recorded = new Set<string>();
  for (let ticks = 0; ticks < ticksMax; ticks++) {
    const report = await reconcile(ports, configuration, { recorded, endAtMs });
    // Whoever holds the loop waits until nobody has its Lease.
    if (isPaused(report.snapshot.cluster.state, report.snapshot.nowMs)) return;
    const dueMs = nextTickMs(report, ports.clock.nowMs());
    const wakeAtMs = reaction === "seconds" ? Math.min(dueMs ?? leaveAtMs, leaveAtMs) : dueMs;
    if (mustLeave() || wakeAtMs === undefined || wakeAtMs > leaveAtMs) return;
    const woken = await ports.cluster.nextChange(wakeAtMs);
    await gather(woken, ports, configuration.settings, leaveAtMs);
    if (mustLeave() || ports.clock.nowMs() >= leaveAtMs) return;
  }
}

/** When the tick after this one is due, ms; undefined: the next scheduled one is soon enough. */
export function nextTickMs(report: TickReport, nowMs: number): number | undefined {
  if (report.changed) return nowMs + againAfterChangeMs;
  if (report.againAtMs === undefined || report.againAtMs > nowMs + deadlineMsMax) return undefined;
  return Math.max(report.againAtMs, nowMs + againAfterChangeMs);
}

/**
 * Karpenter counterpart: pkg/controllers/provisioning/batcher.go. Waits until no further pod came for the idle time. It
 * differs: Karpenter registers nodes beside its batches, so a node that joins ends the wait within the idle time.
 */
async function gather(
  first: Woken,
  { cluster, clock }: { readonly cluster: Pick<Cluster, "nextChange">; readonly clock: Clock },
  { batchIdleMs, batchMaxMs }: Pick<Settings, "batchIdleMs" | "batchMaxMs">,
  leaveAtMs: number,
): Promise<void> {
  const beganMs = clock.nowMs();
  let joinedAtMs = Number.POSITIVE_INFINITY;
  // Of the pods alone: a node that joins among them makes none of them wait longer.
  let idleEndMs = Number.POSITIVE_INFINITY;
  // Bounded by the time: none of its ends moves further than the batch's longest.
  for (let woken = first; woken !== "deadline"; ) {
    const nowMs = clock.nowMs();
    if (woken === "joining") joinedAtMs = Math.min(joinedAtMs, nowMs);
    else idleEndMs = nowMs + batchIdleMs;
    const joiningEndMs = joinedAtMs + (idleEndMs === Number.POSITIVE_INFINITY ? joinIdleMs : batchIdleMs);
    const endMs = Math.min(idleEndMs, beganMs + batchMaxMs, joiningEndMs, leaveAtMs);
    if (nowMs >= endMs) return;
    woken = await cluster.nextChange(endMs, "pending-pods");
  }
}
