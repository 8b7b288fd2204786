import type { RecordEvent } from "#core/command.ts";
import { eventMessageMax, shortened } from "#core/message.ts";
import { objectName } from "#core/object-ref.ts";
import type { Reason } from "#core/reason.ts";
import { stableHash } from "#core/stable-hash.ts";

/** Karpenter: the recorder's default dedupe time, and the reasons that have their own. */
const bucketMs = 2 * 60_000;
const bucketMsByReason: Readonly<Record<string, number>> = {
  FailedScheduling: 5 * 60_000,
  Unconsolidatable: 15 * 60_000,
  NodeRepairBlocked: 15 * 60_000,
  Paused: 15 * 60_000,
  WaitingOnNodeClaimTermination: 10 * 60_000,
};

/** What may be said of an object to people. */
export type Telling = Pick<Reason, "about" | "event" | "message">;

/**
 * The events that these reasons ask for, without those in `recorded`. The name is a function of object, reason and time
 * bucket, so that whoever says it again meets 409 and not a second event.
 */
export function eventsOf(
  reasons: readonly Telling[],
  nowMs: number,
  recorded: ReadonlySet<string>,
): readonly RecordEvent[] {
  const events = new Map<string, RecordEvent>();
  for (const { about, event, message } of reasons) {
    if (event === undefined) continue;
    const minutes = Math.floor(nowMs / (bucketMsByReason[event.reason] ?? bucketMs));
    const bucket = event.once ? message : event.key === undefined ? minutes : `${event.key} ${minutes}`;
    const identity = `${about.kind} ${objectName(about)} ${about.uid ?? ""} ${event.reason} ${bucket}`;
    const name = `${about.name}.${stableHash(identity, 12)}`;
    if (recorded.has(name) || events.has(name)) continue;
    events.set(name, {
      kind: "record-event",
      name,
      about,
      type: event.type,
      reason: event.reason,
      message: shortened(message, eventMessageMax),
    });
  }
  return [...events.values()];
}
