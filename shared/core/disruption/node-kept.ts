/** Karpenter counterpart: pkg/controllers/disruption/events/events.go, what is said of a node and its claim alike. No difference. */
import { refOf } from "../object-ref.ts";
import type { Reason, ReasonEvent } from "../reason.ts";
import type { Candidate } from "./candidate.ts";

/** Why the node stays, said of it and of its claim. */
export function nodeKept(
  { claim, node }: Pick<Candidate, "claim" | "node">,
  message: string,
  event?: ReasonEvent,
): readonly Reason[] {
  return [refOf("Node", node), refOf("NodeClaim", claim)].map((about): Reason => {
    return { about, code: "node-kept", message, ...(event === undefined ? {} : { event }) };
  });
}
