/**
 * Karpenter counterpart: pkg/apis/v1/nodeclaim_status.go. No difference in the conditions; the write is one locked
 * patch, and none at all when it would change nothing.
 */
import type { Json } from "#api/core-v1/meta.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { parseTime } from "#api/time.ts";
import type { PatchStatus } from "../command.ts";
import { type ConditionChange, type ConditionSet, conditionOf, ready, statusPatch } from "../condition.ts";

export const launched = "Launched";
export const registered = "Registered";
export const initialized = "Initialized";
export const consolidatable = "Consolidatable";
export const drifted = "Drifted";
export const disruptionReason = "DisruptionReason";
export const consistentStateFound = "ConsistentStateFound";
export const drained = "Drained";
export const volumesDetached = "VolumesDetached";
export const instanceTerminating = "InstanceTerminating";

export const nodeClaimConditions: ConditionSet = { root: ready, dependents: [launched, registered, initialized] };

/** The patch that brings the claim's status to `conditions` and `fields`; see statusPatch. */
export function claimStatusPatch(
  claim: NodeClaim,
  conditions: readonly ConditionChange[],
  fields: Readonly<Record<string, Json>>,
  nowMs: number,
): PatchStatus | undefined {
  return statusPatch("NodeClaim", claim, nodeClaimConditions, { conditions, fields }, nowMs);
}

/** When the condition came to its present status, ms; undefined when it is absent. */
export function transitionMs(claim: NodeClaim, type: string): number | undefined {
  return parseTime(conditionOf(claim, type)?.lastTransitionTime);
}

/** Since when the claim has waited for the condition: its transition, or the claim's creation while it is absent. */
export function waitingSinceMs(claim: NodeClaim, type: string, nowMs: number): number {
  return transitionMs(claim, type) ?? parseTime(claim.metadata.creationTimestamp) ?? nowMs;
}
