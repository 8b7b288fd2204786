/**
 * Karpenter counterpart: pkg/controllers/nodeclaim/lifecycle/launch.go, where a launch fails. It differs: a wait is told
 * apart from a failure, an unchanged condition is no event, and the event of a failure is a warning under its own word
 * instead of a Normal one named Launched.
 */
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { Decision } from "../decision.ts";
import { conditionMessageMax, shortened } from "../message.ts";
import { refOf } from "../object-ref.ts";
import type { Reason } from "../reason.ts";
import { claimStatusPatch, launched } from "./conditions.ts";

/** Launched stays Unknown and says why; `code` tells a failure from a wait. */
export function launchUnknown(
  claim: NodeClaim,
  why: { readonly reason: string; readonly message: string; readonly code: "claim-waiting" | "claim-launch-failed" },
  nowMs: number,
): Decision {
  const message = shortened(why.message, conditionMessageMax);
  const patch = claimStatusPatch(
    claim,
    [{ type: launched, status: "Unknown", reason: why.reason, message }],
    {},
    nowMs,
  );
  const isFailure = why.code === "claim-launch-failed";
  const reason: Reason = {
    about: refOf("NodeClaim", claim),
    code: why.code,
    message,
    data: { reason: why.reason },
    ...(patch === undefined ? {} : { event: { type: isFailure ? "Warning" : "Normal", reason: why.reason } }),
  };
  return { commands: patch === undefined ? [] : [patch], reasons: [reason] };
}
