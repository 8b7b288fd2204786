/**
 * Karpenter counterpart: pkg/controllers/nodeclaim/lifecycle/termination.go, annotateTerminationGracePeriodTerminationTime.
 * No difference.
 */
import { parseDuration } from "#api/duration.ts";
import { terminationTimestampAnnotation } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { formatTime, parseTime } from "#api/time.ts";
import type { PatchMetadata } from "../command.ts";
import { refOf } from "../object-ref.ts";

/** When the node of a deleted claim must be gone whatever its pods say, ms; undefined for never. */
export function deadlineMs(claim: NodeClaim): number | undefined {
  const annotated = parseTime(claim.metadata.annotations?.[terminationTimestampAnnotation]);
  if (annotated !== undefined) return annotated;
  const deletedMs = parseTime(claim.metadata.deletionTimestamp);
  const { terminationGracePeriod } = claim.spec;
  const graceMs = terminationGracePeriod === undefined ? undefined : parseDuration(terminationGracePeriod);
  return deletedMs === undefined || graceMs === undefined ? undefined : deletedMs + graceMs;
}

/** Puts the deadline of a deleted claim onto it; undefined when it is there, or there is none. */
export function deadlinePatch(claim: NodeClaim): PatchMetadata | undefined {
  const atMs = deadlineMs(claim);
  const present = claim.metadata.annotations?.[terminationTimestampAnnotation];
  if (atMs === undefined || parseTime(present) !== undefined) return undefined;
  return {
    kind: "patch-metadata",
    target: refOf("NodeClaim", claim),
    annotations: { [terminationTimestampAnnotation]: formatTime(atMs) },
  };
}
