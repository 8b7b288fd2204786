/**
 * Karpenter counterpart: pkg/controllers/node/health/controller.go, how it picks a policy. It differs: a node that joined
 * and never became ready to use is ill too.
 */
import type { Node } from "#api/core-v1/node.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { parseTime } from "#api/time.ts";
import type { RepairPolicy } from "../cloud-provider.ts";
import { isTrue } from "../condition.ts";
import { initialized, registered, transitionMs } from "../nodeclaim/conditions.ts";

/** As long as a machine may take to join. */
const initializationMs = 15 * 60_000;

export interface Illness {
  /** What the node says, and since when, ms. */
  readonly words: string;
  readonly sinceMs: number;
  /** When it has lasted long enough, ms. */
  readonly dueMs: number;
}

/** Of all that the node suffers from what is due first; the policy that is named first where two are due at once. */
export function illnessOf(
  claim: NodeClaim,
  node: Node,
  policies: readonly RepairPolicy[],
  nowMs: number,
): Illness | undefined {
  const own = policies.flatMap((policy) => symptomOf(node, policy, nowMs) ?? []);
  const all = [...own, ...neverInitialized(claim)];
  return all.reduce<Illness | undefined>(
    (first, one) => (first === undefined || one.dueMs < first.dueMs ? one : first),
    undefined,
  );
}

/** It counts against the health of its pool: it says that it is ill, for however long, or never became ready to use. */
export function isIll(
  node: Node,
  claim: NodeClaim | undefined,
  policies: readonly RepairPolicy[],
  nowMs: number,
): boolean {
  if (policies.some((policy) => conditionFor(node, policy) !== undefined)) return true;
  return claim !== undefined && neverInitialized(claim).some(({ dueMs }) => dueMs <= nowMs);
}

function symptomOf(node: Node, policy: RepairPolicy, nowMs: number): Illness | undefined {
  const condition = conditionFor(node, policy);
  if (condition === undefined) return undefined;
  // Without a time it begins now: it is looked at again, and never repaired before somebody says since when.
  const sinceMs = parseTime(condition.lastTransitionTime) ?? nowMs;
  return {
    words: `${policy.conditionType} is ${policy.conditionStatus}`,
    sinceMs,
    dueMs: sinceMs + policy.tolerationMs,
  };
}

function conditionFor(node: Node, { conditionType, conditionStatus }: RepairPolicy) {
  return node.status?.conditions?.find(({ type, status }) => type === conditionType && status === conditionStatus);
}

function neverInitialized(claim: NodeClaim): readonly Illness[] {
  const sinceMs = transitionMs(claim, registered);
  if (sinceMs === undefined || !isTrue(claim, registered) || isTrue(claim, initialized)) return [];
  return [{ words: "it has joined and never became initialized", sinceMs, dueMs: sinceMs + initializationMs }];
}
