/**
 * Karpenter counterpart: none of its own; each controller there deletes a claim and counts it. Here it is one place, so
 * that every deletion carries the UID and a reason.
 */
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { Decision } from "../decision.ts";
import { refOf } from "../object-ref.ts";
import type { Reason } from "../reason.ts";

/** Deletes the claim, with its UID as precondition, and says why. `cause` is Karpenter's word for the metric. */
export function deleteClaim(claim: NodeClaim, cause: string, message: string, event?: Reason["event"]): Decision {
  const about = refOf("NodeClaim", claim);
  return {
    commands: [{ kind: "delete-object", target: about }],
    reasons: [{ about, code: "claim-deleted", message, data: { cause }, ...(event === undefined ? {} : { event }) }],
  };
}
