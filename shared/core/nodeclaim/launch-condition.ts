import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { Decision } from "../decision.ts";
import { refOf } from "../object-ref.ts";
import type { Reason } from "../reason.ts";
import { claimStatusPatch, launched, shortMessage } from "./conditions.ts";

/** Launched stays Unknown and says why; `code` tells a failure from a wait. */
export function launchUnknown(
  claim: NodeClaim,
  why: { readonly reason: string; readonly message: string; readonly code: "claim-waiting" | "claim-launch-failed" },
  nowMs: number,
): Decision {
  const message = shortMessage(why.message);
  const patch = claimStatusPatch(
    claim,
    [{ type: launched, status: "Unknown", reason: why.reason, message }],
    {},
    nowMs,
  );
  const reason: Reason = {
    about: refOf("NodeClaim", claim),
    code: why.code,
    message,
    data: { reason: why.reason },
    ...(patch === undefined ? {} : { event: { type: "Normal", reason: "Launched" } }),
  };
  return { commands: patch === undefined ? [] : [patch], reasons: [reason] };
}
