/**
 * Karpenter counterpart: pkg/controllers/nodeclaim/lifecycle/liveness.go. It differs: one deletion a claim, where
 * Karpenter goes on to the second check after the first has deleted it.
 */
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { conditionOf, isTrue } from "../condition.ts";
import { launched, registered, waitingSinceMs } from "./conditions.ts";

/** Karpenter: LaunchTimeout and registrationTimeout. */
const launchTimeoutMs = 5 * 60_000;
const registrationTimeoutMs = 15 * 60_000;

export type Liveness =
  | { readonly kind: "alive"; readonly untilMs?: number }
  | {
      readonly kind: "timed-out";
      /** Karpenter's word for the metric. */
      readonly cause: "launch_timeout" | "registration_timeout";
      readonly message: string;
      /** What the NodePool's registration health says of it. */
      readonly reason: string;
    };

/** Whether a claim that is not registered may go on waiting. `isRegistered` is as of this tick. */
export function livenessOf(claim: NodeClaim, isRegistered: boolean, nowMs: number): Liveness {
  if (isRegistered) return { kind: "alive" };
  if (!isTrue(claim, launched)) return launchLiveness(claim, nowMs);
  const untilMs = waitingSinceMs(claim, registered, nowMs) + registrationTimeoutMs;
  if (nowMs < untilMs) return { kind: "alive", untilMs };
  return {
    kind: "timed-out",
    cause: "registration_timeout",
    message: `No Node has registered within ${registrationTimeoutMs / 60_000} min of the launch`,
    reason: "RegistrationFailed",
  };
}

function launchLiveness(claim: NodeClaim, nowMs: number): Liveness {
  const untilMs = waitingSinceMs(claim, launched, nowMs) + launchTimeoutMs;
  if (nowMs < untilMs) return { kind: "alive", untilMs };
  const condition = conditionOf(claim, launched);
  const why = condition === undefined || condition.message === "" ? "" : `: ${condition.message}`;
  return {
    kind: "timed-out",
    cause: "launch_timeout",
    message: `Not launched within ${launchTimeoutMs / 60_000} min${why}`,
    reason: condition?.reason ?? "LaunchFailed",
  };
}
