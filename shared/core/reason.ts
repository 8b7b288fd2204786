/**
 * Karpenter counterpart: pkg/events and its logs. It differs: why something was done or not is data of the decision, and
 * events are made from it.
 */
import type { ObjectRef } from "./object-ref.ts";

/**
 * Why something was or was not done, said of one object. Events, conditions, `explain` and metrics are made of reasons.
 * `code` is for programs and stays stable; `message` is for people, one line, with the numbers.
 */
export interface Reason {
  readonly about: ObjectRef;
  readonly code: ReasonCode;
  readonly message: string;
  /** Numbers and names behind the message, for `explain` and metrics. */
  readonly data?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  /** Set when users expect a Kubernetes Event; `reason` in Karpenter's words (Nominated, FailedScheduling, …). */
  readonly event?: ReasonEvent;
  /** The reason rests on this other object, which a command of the same stage writes: untold when that fails. */
  readonly onceWritten?: ObjectRef;
}

export interface ReasonEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  /** Tells events of one object and reason apart that fall into the same minutes. */
  readonly key?: string;
  /** Said once of an object and message, however long it lasts; otherwise again after some minutes. */
  readonly once?: true;
}

/** The event of everything that Outrigger knows of and does not act on yet. */
export const notSupportedEvent: ReasonEvent = { type: "Warning", reason: "NotSupportedYet", once: true };

export const reasonCodes = [
  "pod-placed-on-node",
  "pod-placed-on-claim",
  "pod-placed-on-new-claim",
  "pod-unschedulable",
  "pod-deferred",
  "pod-ignored",
  "claim-created",
  "claim-launching",
  "claim-launched",
  "claim-launch-failed",
  "claim-adopted",
  "claim-registered",
  "claim-initialized",
  "claim-waiting",
  "claim-consistent",
  "claim-inconsistent",
  "claim-drifted",
  "claim-deleted",
  "claim-terminated",
  "claim-interrupted",
  "node-draining",
  "node-disrupted",
  "node-kept",
  "instance-collected",
  "instance-kept",
  "pool-not-ready",
  "pool-budget",
  "pool-limit",
  "pool-resting",
  "node-class-not-ready",
  "not-supported",
  "object-unreadable",
  "write-failed",
  "read-refused",
  "brake",
  "paused",
] as const;
export type ReasonCode = (typeof reasonCodes)[number];
