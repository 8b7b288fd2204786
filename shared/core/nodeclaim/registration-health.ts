/**
 * Karpenter counterpart: the calls of UpdateNodePoolRegistrationHealth in pkg/controllers/nodeclaim/lifecycle,
 * registration.go and liveness.go. No difference, but that a tick's outcomes of a pool are written together.
 */
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import type { PatchState } from "../command.ts";
import type { ClusterView } from "../snapshot.ts";
import { type RegistrationOutcome, rememberOutcomes } from "../state/registration-outcomes.ts";

export interface ClaimOutcome {
  readonly claim: NodeClaim;
  /** The pool that the claim's label names. */
  readonly nodePool: NodePool | undefined;
  readonly outcome: RegistrationOutcome;
}

/** Remembers what became of these claims' registrations, of each for its pool. */
export function registrationHealthPatches(
  { nodePools, state }: Pick<ClusterView, "nodePools" | "state">,
  outcomes: readonly ClaimOutcome[],
): readonly PatchState[] {
  const pools = nodePools.map((nodePool) => ({
    nodePool,
    outcomes: outcomes
      .filter((one) => one.nodePool === nodePool && isOwnedBy(one.claim, nodePool))
      .map(({ outcome }) => outcome),
  }));
  return rememberOutcomes(state, pools);
}

/** A claim counts for the pool that made it, not for one that took its name later. */
function isOwnedBy(claim: NodeClaim, nodePool: NodePool): boolean {
  return (claim.metadata.ownerReferences ?? []).some((owner) => owner.uid === nodePool.metadata.uid);
}
