import { type Decision, nothing } from "#core/decision.ts";
import { endsWaiting, type InterruptionInput, interrupt, mayConcernUnrecorded } from "#core/nodeclaim/interruption.ts";
import type { Step } from "#core/outcome.ts";
import { act } from "./act.ts";
import { eventsOf } from "./events.ts";
import type { Configuration, Ports } from "./ports.ts";
import { toldReasons } from "./told-reasons.ts";
import { writtenObject } from "./written-object.ts";

/** One message of the queue, as it came. */
export interface Message {
  readonly id: string;
  readonly body: unknown;
}

export interface InterruptionReport {
  readonly decision: Decision;
  readonly steps: readonly Step[];
  /**
   * Ids of the messages that return to the queue: their writes failed, or, for a minute at most, their instance may be
   * one that a claim of ours is about to record. All others are acknowledged.
   */
  readonly failed: readonly string[];
  /** How many messages were of each kind: "notices", or why one asks for nothing. */
  readonly counts: Readonly<Record<string, number>>;
  /** A claim was marked, or the machine of one on its way out is gone: `reconcile` should be woken. */
  readonly acted: boolean;
}

/**
 * Handles a batch of interruption messages: at most one look at the claims for the whole batch, every claim marked in
 * parallel, commutative writes only (no Lease needed).
 */
export async function handleInterruptions<Query, View>(
  messages: readonly Message[],
  { provider }: Pick<Configuration<Query, View>, "provider">,
  { cluster, clock }: Pick<Ports<Query, View>, "cluster" | "clock">,
): Promise<InterruptionReport> {
  const read = messages.map(({ id, body }) => ({ id, answer: provider.readMessage(body) }));
  const counts = countBy(read.map(({ answer }) => answer.kind));
  const notices = read.map(({ id, answer }) => ({ id, notices: answer.kind === "notices" ? answer.notices : [] }));
  if (notices.every((each) => each.notices.length === 0)) {
    return { decision: nothing, steps: [], failed: [], counts, acted: false };
  }
  const { nodeClaims, nodes, state } = await cluster.observe("claims");
  const nowMs = clock.nowMs();
  const { nodeClass } = provider;
  const about = (some: InterruptionInput["notices"]): InterruptionInput => ({
    ...{ nodeClaims, nodes, state, nowMs, nodeClass },
    notices: some,
  });
  const all = about(notices.flatMap((each) => each.notices));
  const decided = interrupt(all);
  const steps = await act("interruption", decided.commands, { cluster, cloud: noCloud });
  const reasons = toldReasons(decided.reasons, decided.commands, steps);
  const events = await act("events", eventsOf(reasons, nowMs, new Set()), { cluster, cloud: noCloud });
  const broken = new Set(steps.filter(asksForAnotherTry).map(({ command }) => writtenObject(command)));
  return {
    decision: { ...decided, reasons },
    steps: [...steps, ...events],
    failed: notices
      .map((each) => ({ id: each.id, input: about(each.notices) }))
      .filter(
        ({ input }) =>
          mayConcernUnrecorded(input) ||
          interrupt(input).commands.some((command) => broken.has(writtenObject(command))),
      )
      .map(({ id }) => id),
    counts,
    acted:
      endsWaiting(all) ||
      steps.some(({ command, outcome }) => command.kind === "delete-object" && outcome.kind === "done"),
  };
}

/** A claim that is gone, or made anew, needs no second try. */
function asksForAnotherTry({ outcome }: Step): boolean {
  return outcome.kind === "failed" && outcome.fault.kind !== "not-found" && outcome.fault.kind !== "conflict";
}

function countBy(kinds: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** An interruption writes to the cluster only. */
const noCloud = {
  apply: (): never => {
    throw new Error("an interruption decided a command for the cloud");
  },
};
