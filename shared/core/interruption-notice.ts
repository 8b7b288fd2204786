/**
 * What a cloud announces of an instance. Karpenter counterpart: pkg/controllers/interruption/messages/types.go of its
 * AWS provider, the kinds of messages. They are the core's words here, so that every provider can speak them.
 */
export type InterruptionKind =
  | "spot-interruption"
  | "capacity-reservation-interruption"
  | "terminated"
  | "stopping"
  /** A check of the machine has failed for minutes: its kubelet may not answer, so nothing waits for it. */
  | "system-status"
  | "instance-status"
  /** The cloud will restart, stop or retire the machine. */
  | "event-status"
  | "scheduled-change"
  | "rebalance";

export interface InterruptionNotice {
  readonly kind: InterruptionKind;
  readonly instanceId: string;
  /** When the cloud said it, ms; absent: now. */
  readonly atMs?: number;
}

/** What a message says. Every answer means: acknowledge it. Only writes that fail bring one back to the queue. */
export type MessageAnswer =
  | { readonly kind: "notices"; readonly notices: readonly InterruptionNotice[] }
  /** A kind that is known and that asks nothing of us: another service's health, an instance that started. */
  | { readonly kind: "foreign"; readonly message: string }
  /** No such version, source and detail-type. */
  | { readonly kind: "unknown"; readonly message: string }
  /** Not JSON, not an envelope, or without what its kind needs. */
  | { readonly kind: "malformed"; readonly message: string };
