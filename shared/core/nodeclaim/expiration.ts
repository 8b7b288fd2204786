/**
 * Karpenter counterpart: pkg/controllers/nodeclaim/expiration. No difference: at its time the claim is deleted, whatever
 * the budgets say and without a replacement made ahead.
 */
import { parseDuration } from "#api/duration.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { parseTime } from "#api/time.ts";

/** When the claim expires, ms; undefined for Never. */
export function expiresAtMs(claim: NodeClaim): number | undefined {
  const { expireAfter } = claim.spec;
  const createdMs = parseTime(claim.metadata.creationTimestamp);
  const lifetimeMs = expireAfter === undefined ? undefined : parseDuration(expireAfter);
  return createdMs === undefined || lifetimeMs === undefined ? undefined : createdMs + lifetimeMs;
}
