/**
 * Karpenter counterpart: pkg/controllers/disruption/queue.go, the deletion of a command's candidates with its events. No
 * difference.
 */
import type { Node } from "#api/core-v1/node.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { Decision } from "../decision.ts";
import { deleteClaim } from "../nodeclaim/claim-deletion.ts";
import { refOf } from "../object-ref.ts";

/** Ends the candidate: for its claim and, as far as it is there, its node the reason is said. */
export function terminationOf(claim: NodeClaim, nodes: readonly Node[], reason: string): readonly Decision[] {
  const message = `Disrupted: ${reason}`;
  const event = { type: "Normal", reason: "DisruptionTerminating" } as const;
  return [
    deleteClaim(claim, reason.toLowerCase(), message, event),
    ...nodes.map((node): Decision => {
      const about = refOf("Node", node);
      return { commands: [], reasons: [{ about, code: "node-disrupted", message, data: { reason }, event }] };
    }),
  ];
}
