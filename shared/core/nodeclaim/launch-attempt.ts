/**
 * Karpenter counterpart: pkg/controllers/nodeclaim/lifecycle/launch.go, its retries. It differs: Karpenter sends no
 * client token of its own and retries with another request. Here each attempt has a number, recorded on the claim before
 * the call and part of the launch's token, so that repeating an attempt whose answer was lost can never make a second
 * instance; only an attempt that certainly failed is followed by the next number.
 */
import type { Condition } from "#api/core-v1/meta.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { launchAttemptAnnotation, launchAttemptTimeAnnotation } from "#api/outrigger-names.ts";
import { parseTime } from "#api/time.ts";
import { conditionOf } from "../condition.ts";
import { launched } from "./conditions.ts";
import { consistencyGraceMs } from "./instance-presence.ts";

/**
 * Reasons of the condition Launched=Unknown, beside those of a refusal (the cloud's code). Together with the recorded number
 * they tell whether that attempt is answered: a reason that is none of these answers it.
 */
export const launching = "Launching";
/** The attempt was, or may have been, made before and its answer is not known: a repetition may meet its own success. */
export const launchUnconfirmed = "LaunchUnconfirmed";
export const nodeClassNotReady = "NodeClassNotReady";
export const launchNotPrepared = "LaunchNotPrepared";
/** An earlier request of this attempt may have taken effect: its instance is looked for until the grace is over. */
export const earlierLaunchPossible = "EarlierLaunchPossible";
const openReasons: readonly string[] = [
  "AwaitingReconciliation",
  launching,
  launchUnconfirmed,
  nodeClassNotReady,
  launchNotPrepared,
];

/** Karpenter: the lifecycle controller's back-off, 1 s doubling to 1 min. */
const firstPauseMs = 1_000;
const longestPauseMs = 60_000;
/** Before an attempt without an answer, or without what it needs, is repeated. */
const repeatPauseMs = 5_000;

export type NextAttempt =
  | { readonly kind: "attempt"; readonly attempt: number }
  | { readonly kind: "wait"; readonly untilMs: number };

/** The attempt that the claim records, 0 when there is none. */
export function recordedAttempt(claim: NodeClaim): number {
  const text = claim.metadata.annotations?.[launchAttemptAnnotation] ?? "";
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0;
}

/** When a launch for the claim may last have been asked for; undefined when none ever was. */
export function attemptTimeMs(claim: NodeClaim): number | undefined {
  if (recordedAttempt(claim) === 0) return undefined;
  const { annotations, creationTimestamp } = claim.metadata;
  return parseTime(annotations?.[launchAttemptTimeAnnotation]) ?? parseTime(creationTimestamp);
}

/** The condition Launched does not say what came of the recorded attempt. */
export function isUnanswered({ reason }: Condition): boolean {
  return openReasons.includes(reason);
}

/** The recorded attempt was answered, and the answer was that no instance came of it. */
export function attemptFailed(claim: NodeClaim): boolean {
  const condition = conditionOf(claim, launched);
  return condition !== undefined && condition.reason !== earlierLaunchPossible && !isUnanswered(condition);
}

/** The attempt under way repeats one whose answer is unknown, so that no refusal of it proves anything. */
export function isRepetition(claim: NodeClaim): boolean {
  const reason = conditionOf(claim, launched)?.reason;
  return reason === launchUnconfirmed || reason === earlierLaunchPossible;
}

/** Which attempt to make now. `complete`: the cloud's list of instances is whole, so that an absence means something. */
export function nextAttempt(claim: NodeClaim, nowMs: number, complete: boolean): NextAttempt {
  const attempt = recordedAttempt(claim);
  const sinceMs = attemptTimeMs(claim);
  if (attempt === 0 || sinceMs === undefined) return { kind: "attempt", attempt: 1 };
  if (conditionOf(claim, launched)?.reason === earlierLaunchPossible) {
    const untilMs = sinceMs + consistencyGraceMs;
    if (nowMs <= untilMs) return { kind: "wait", untilMs: untilMs + 1 };
    return complete ? { kind: "attempt", attempt: attempt + 1 } : { kind: "wait", untilMs: nowMs + firstPauseMs };
  }
  if (!attemptFailed(claim)) return repeated(claim, attempt, sinceMs, nowMs);
  const untilMs = sinceMs + Math.min(firstPauseMs * 2 ** (attempt - 1), longestPauseMs);
  return nowMs < untilMs ? { kind: "wait", untilMs } : { kind: "attempt", attempt: attempt + 1 };
}

function repeated(claim: NodeClaim, attempt: number, sinceMs: number, nowMs: number): NextAttempt {
  const reason = conditionOf(claim, launched)?.reason;
  const pauseMs = reason === launchUnconfirmed || reason === launchNotPrepared ? repeatPauseMs : 0;
  return nowMs < sinceMs + pauseMs ? { kind: "wait", untilMs: sinceMs + pauseMs } : { kind: "attempt", attempt };
}
