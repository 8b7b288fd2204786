/**
 * Karpenter counterpart: pkg/controllers/nodeclaim/disruption/consolidation.go. No difference: the window counts from
 * the last pod event, or from initialization while there was none, on empty and busy nodes alike.
 */
import { parseDuration } from "#api/duration.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { type ConditionChange, conditionOf } from "../condition.ts";
import { consolidatable } from "./conditions.ts";

export interface Consolidatable {
  readonly change: ConditionChange;
  /** When the window ends, while it is open. */
  readonly againAtMs?: number;
}

const absent: Consolidatable = { change: { type: consolidatable } };

/** `sinceMs`: the last pod event or the initialization; undefined when the claim is not initialized. */
export function consolidatableOf(
  nodePool: NodePool | undefined,
  sinceMs: number | undefined,
  nowMs: number,
): Consolidatable {
  if (nodePool === undefined || nodePool.spec.replicas !== undefined || sinceMs === undefined) return absent;
  const windowMs = parseDuration(nodePool.spec.disruption.consolidateAfter);
  if (windowMs === undefined) return absent;
  const untilMs = sinceMs + windowMs;
  return windowMs > 0 && nowMs < untilMs
    ? { ...absent, againAtMs: untilMs }
    : { change: { type: consolidatable, status: "True" } };
}

/** None for a claim that has no such condition and gets none. */
export function windowChanges(claim: NodeClaim, { change }: Consolidatable): readonly ConditionChange[] {
  return change.status === "True" || conditionOf(claim, consolidatable) !== undefined ? [change] : [];
}
