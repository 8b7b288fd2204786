import type { Command } from "#core/command.ts";
import type { Decision } from "#core/decision.ts";
import type { Step } from "#core/outcome.ts";
import type { ClusterView } from "#core/snapshot.ts";
import type { Clock } from "#ports/clock.ts";
import type { Cluster } from "#ports/cluster.ts";
import { act } from "./act.ts";
import { eventsOf } from "./events.ts";

/** One message of the queue, and what it says of which instances. */
export interface Message<Notice> {
  readonly id: string;
  /** Empty: foreign, malformed or of no interest. It is acknowledged and counted. */
  readonly notices: readonly Notice[];
}

export interface InterruptionReport {
  readonly decision: Decision;
  readonly steps: readonly Step[];
  /** Ids of the messages whose writes failed: they alone return to the queue. */
  readonly failed: readonly string[];
  /** A claim was marked: `reconcile` should be woken. */
  readonly acted: boolean;
}

interface Doers {
  readonly cluster: Cluster;
  readonly clock: Clock;
}

/**
 * Handles a batch of interruption messages: at most one look at the claims for the whole batch, every claim marked in
 * parallel, commutative writes only (no Lease needed). `interrupt` is the pure decision of the core.
 */
export async function handleInterruptions<Notice>(
  messages: readonly Message<Notice>[],
  interrupt: (cluster: ClusterView, nowMs: number, notices: readonly Notice[]) => Decision,
  doers: Doers,
): Promise<InterruptionReport> {
  const nothing: Decision = { commands: [], reasons: [] };
  if (messages.every(({ notices }) => notices.length === 0)) {
    return { decision: nothing, steps: [], failed: [], acted: false };
  }
  const cluster = await doers.cluster.observe("claims");
  const nowMs = doers.clock.nowMs();
  const all = messages.flatMap(({ notices }) => notices);
  const decision = interrupt(cluster, nowMs, all);
  const steps = await act("interruption", decision.commands, { cluster: doers.cluster, cloud: noCloud });
  const events = await act("events", eventsOf(decision.reasons, nowMs, new Set()), {
    cluster: doers.cluster,
    cloud: noCloud,
  });
  const broken = new Set(steps.filter(failedForGood).map(({ command }) => JSON.stringify(command)));
  const failed = messages.filter(
    ({ notices }) =>
      broken.size > 0 &&
      interrupt(cluster, nowMs, notices).commands.some((command) => broken.has(JSON.stringify(command))),
  );
  return {
    decision,
    steps: [...steps, ...events],
    failed: failed.map(({ id }) => id),
    acted: steps.some(({ command, outcome }) => isDeletion(command) && outcome.kind === "done"),
  };
}

/** A claim that is gone already needs no second try. */
function failedForGood({ outcome }: Step): boolean {
  return outcome.kind === "failed" && outcome.fault.kind !== "not-found" && outcome.fault.kind !== "conflict";
}

function isDeletion(command: Command): boolean {
  return command.kind === "delete-object";
}

/** An interruption writes to the cluster only. */
const noCloud = {
  apply: (): never => {
    throw new Error("an interruption decided a command for the cloud");
  },
};
