/**
 * Karpenter counterpart: none; there a read that fails ends the round of the controller that made it. Here one look
 * serves all stages, and those that take something away stand still when it was not whole.
 */
import type { Reason } from "./reason.ts";
import type { Snapshot } from "./snapshot.ts";

/** A brake holds the whole fleet; reasons are said of objects, so it is said of the NodeClaims by no name. */
export function brake(message: string): Reason {
  return { about: { kind: "NodeClaim", name: "*" }, code: "brake", message };
}

/** Why nothing is taken away in this tick, `consequence` being what that means; undefined when the look was whole. */
export function partialReadBrake({ cloud }: Snapshot, consequence: string): Reason | undefined {
  if (cloud.incomplete.length === 0) return undefined;
  return brake(`${consequence}: ${cloud.incomplete.join(", ")} could not be read completely`);
}
