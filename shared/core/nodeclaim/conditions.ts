/**
 * Karpenter counterpart: pkg/apis/v1/nodeclaim_status.go. No difference in the conditions; the write is one patch with
 * the resourceVersion as precondition, and none at all when it would change nothing.
 */
import type { Json } from "#api/core-v1/meta.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { sameJson } from "#api/same-json.ts";
import { parseTime } from "#api/time.ts";
import type { PatchStatus } from "../command.ts";
import { type ConditionChange, type ConditionSet, conditionOf, sameConditions, withConditions } from "../condition.ts";
import { lockedRefOf } from "../object-ref.ts";

export const launched = "Launched";
export const registered = "Registered";
export const initialized = "Initialized";
export const consolidatable = "Consolidatable";
export const drifted = "Drifted";
export const disruptionReason = "DisruptionReason";
export const drained = "Drained";
export const volumesDetached = "VolumesDetached";
export const instanceTerminating = "InstanceTerminating";

export const nodeClaimConditions: ConditionSet = { root: "Ready", dependents: [launched, registered, initialized] };

/** Kubernetes bounds a condition's message; Karpenter cuts launch errors here. */
const messageCharactersMax = 300;

/** The longest message that a condition of a failed launch carries. */
export function shortMessage(message: string): string {
  return message.length <= messageCharactersMax ? message : `${message.slice(0, messageCharactersMax)}...`;
}

/**
 * The patch that brings the claim's status to `changes` and `fields`, or undefined when it says that already. It is
 * locked, so within one decision it comes before other writes of the same claim.
 */
export function claimStatusPatch(
  claim: NodeClaim,
  changes: readonly ConditionChange[],
  fields: Readonly<Record<string, Json>>,
  nowMs: number,
): PatchStatus | undefined {
  const conditions =
    changes.length === 0 ? claim.status?.conditions : withConditions(claim, nodeClaimConditions, changes, nowMs);
  const before: Readonly<Record<string, unknown>> = { ...claim.status };
  const differing = Object.entries(fields).filter(([name, value]) => !sameJson(before[name] ?? null, value));
  const conditionsDiffer = conditions !== undefined && !sameConditions(claim.status?.conditions, conditions);
  if (!conditionsDiffer && differing.length === 0) return undefined;
  return {
    kind: "patch-status",
    target: lockedRefOf("NodeClaim", claim),
    status: {
      ...Object.fromEntries(differing),
      ...(conditionsDiffer ? { conditions: conditions.map((condition) => ({ ...condition })) } : {}),
    },
  };
}

/** When the condition came to its present status, ms; undefined when it is absent. */
export function transitionMs(claim: NodeClaim, type: string): number | undefined {
  return parseTime(conditionOf(claim, type)?.lastTransitionTime);
}

/** Since when the claim has waited for the condition: its transition, or the claim's creation while it is absent. */
export function waitingSinceMs(claim: NodeClaim, type: string, nowMs: number): number {
  return transitionMs(claim, type) ?? parseTime(claim.metadata.creationTimestamp) ?? nowMs;
}
