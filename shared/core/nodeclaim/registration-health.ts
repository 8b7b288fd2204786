/**
 * Karpenter counterpart: the calls of UpdateNodePoolRegistrationHealth in pkg/controllers/nodeclaim/lifecycle,
 * registration.go and liveness.go. It differs: a tick's outcomes of a pool are written together, and a pool whose nodes
 * do not join rests.
 */
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import type { PatchState } from "../command.ts";
import { isTrue } from "../condition.ts";
import type { ClusterView } from "../snapshot.ts";
import { joinPatches } from "../state/join-back-off.ts";
import { type RegistrationOutcome, registrationHealth, rememberOutcomes } from "../state/registration-outcomes.ts";
import { stateAfter } from "../state/state-patch.ts";
import { launched, registered, transitionMs } from "./conditions.ts";

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

/**
 * Lets pools rest whose launched nodes do not join: those that are unhealthy by their outcomes with `health` and of which
 * no node has registered since the failed one was launched. A registration ends that.
 */
export function joinBackOffPatches(
  { nodePools, nodeClaims, state }: Pick<ClusterView, "nodePools" | "nodeClaims" | "state">,
  outcomes: readonly ClaimOutcome[],
  health: readonly PatchState[],
  nowMs: number,
): readonly PatchState[] {
  const known = stateAfter(state, health);
  const failed: NodePool[] = [];
  const cured: NodePool[] = [];
  for (const nodePool of nodePools) {
    const own = outcomes.filter((one) => one.nodePool === nodePool && isOwnedBy(one.claim, nodePool));
    if (own.some(({ outcome }) => outcome.kind === "registered")) {
      cured.push(nodePool);
      continue;
    }
    const launches = own.flatMap(({ claim }) => (isTrue(claim, launched) ? (transitionMs(claim, launched) ?? []) : []));
    if (launches.length === 0 || registrationHealth(known, nodePool).status !== "False") continue;
    const sinceMs = Math.max(...launches);
    if (!nodeClaims.some((claim) => isOwnedBy(claim, nodePool) && hasRegisteredSince(claim, sinceMs))) {
      failed.push(nodePool);
    }
  }
  return joinPatches(state, failed, cured, nowMs);
}

function hasRegisteredSince(claim: NodeClaim, sinceMs: number): boolean {
  return isTrue(claim, registered) && (transitionMs(claim, registered) ?? 0) >= sinceMs;
}

/** A claim counts for the pool that made it, not for one that took its name later. */
function isOwnedBy(claim: NodeClaim, nodePool: NodePool): boolean {
  return (claim.metadata.ownerReferences ?? []).some((owner) => owner.uid === nodePool.metadata.uid);
}
