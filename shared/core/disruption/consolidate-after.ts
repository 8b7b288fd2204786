/** Karpenter counterpart: pkg/utils/disruption/disruption.go, IsUnderConsolidateAfter. No difference. */
import { parseDuration } from "#api/duration.ts";
import { nodePoolLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { parseTime } from "#api/time.ts";
import { conditionOf } from "../condition.ts";
import { initialized } from "../nodeclaim/conditions.ts";

/** Pods came to the node or left it within its pool's consolidateAfter. `pools`: by name. */
export function isUnderConsolidateAfter(
  claim: NodeClaim,
  pools: ReadonlyMap<string, NodePool>,
  nowMs: number,
): boolean {
  const pool = pools.get(claim.metadata.labels?.[nodePoolLabel] ?? "");
  const windowMs = pool === undefined ? undefined : parseDuration(pool.spec.disruption.consolidateAfter);
  const condition = conditionOf(claim, initialized);
  if (windowMs === undefined || windowMs === 0 || condition?.status !== "True") return false;
  const sinceMs = parseTime(claim.status?.lastPodEventTime) ?? parseTime(condition.lastTransitionTime);
  return sinceMs !== undefined && nowMs - sinceMs < windowMs;
}
