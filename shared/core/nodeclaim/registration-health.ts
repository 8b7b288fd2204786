/**
 * Karpenter counterpart: the calls of UpdateNodePoolRegistrationHealth in pkg/controllers/nodeclaim/lifecycle,
 * registration.go and liveness.go. It differs: a tick's outcomes of a pool are written together, and a pool whose nodes
 * do not join rests.
 */
import { nodePoolLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { interruptedAtAnnotation } from "#api/outrigger-names.ts";
import type { PatchState } from "../command.ts";
import { isTrue } from "../condition.ts";
import type { ClusterView } from "../snapshot.ts";
import { joinPatches } from "../state/join-back-off.ts";
import { type RegistrationOutcome, registrationHealth, rememberOutcomes } from "../state/registration-outcomes.ts";
import { stateAfter } from "../state/state-patch.ts";
import { launched, registered, transitionMs } from "./conditions.ts";
import { instanceIdOf } from "./instance-presence.ts";

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
 * What to remember of claims whose machine ended before its Node joined, without a spot warning: a launch that the cloud
 * takes back at once (a key that it may not use, a volume quota) would be repeated for ever.
 */
export function earlyEndPatches(
  cluster: Pick<ClusterView, "nodePools" | "nodeClaims" | "state">,
  ended: readonly NodeClaim[],
  nowMs: number,
): readonly PatchState[] {
  const outcomes = ended.filter(hasLeftEarly).map(
    (claim): ClaimOutcome => ({
      claim,
      nodePool: cluster.nodePools.find(({ metadata }) => metadata.name === claim.metadata.labels?.[nodePoolLabel]),
      outcome: { kind: "failed", reason: "InstanceEnded", message: endedInWords(claim) },
    }),
  );
  const health = registrationHealthPatches(cluster, outcomes);
  return [...health, ...joinBackOffPatches(cluster, outcomes, health, nowMs)];
}

function hasLeftEarly(claim: NodeClaim): boolean {
  const isWarned = claim.metadata.annotations?.[interruptedAtAnnotation] !== undefined;
  return isTrue(claim, launched) && !isTrue(claim, registered) && !isWarned;
}

function endedInWords({ metadata, status }: NodeClaim): string {
  const instance = instanceIdOf(status?.providerID ?? "");
  return `Instance ${instance} of NodeClaim ${metadata.name} ended before its node joined; its state reason in the cloud says why`;
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
