/**
 * Karpenter counterpart: pkg/controllers/nodepool/hash. No difference: when the hash's version changes, the pool's claims
 * take the new hash without drifting; those that had drifted keep the old one and stay so.
 */
import { nodePoolHashAnnotation, nodePoolHashVersionAnnotation, nodePoolLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import type { PatchMetadata } from "../command.ts";
import { isTrue } from "../condition.ts";
import { drifted } from "../nodeclaim/conditions.ts";
import { isDeleting } from "../nodeclaim/managed.ts";
import { refOf } from "../object-ref.ts";
import { nodePoolHash, nodePoolHashVersion } from "./hash.ts";

/** `claims`: those of the provider. */
export function hashPatches(nodePool: NodePool, claims: readonly NodeClaim[]): readonly PatchMetadata[] {
  const wanted = {
    [nodePoolHashAnnotation]: nodePoolHash(nodePool),
    [nodePoolHashVersionAnnotation]: nodePoolHashVersion,
  };
  const ofPool = claims
    .filter((claim) => claim.metadata.labels?.[nodePoolLabel] === nodePool.metadata.name && !isDeleting(claim))
    .filter((claim) => claim.metadata.annotations?.[nodePoolHashVersionAnnotation] !== nodePoolHashVersion)
    .map((claim): PatchMetadata => {
      const annotations = isTrue(claim, drifted) ? { [nodePoolHashVersionAnnotation]: nodePoolHashVersion } : wanted;
      return { kind: "patch-metadata", target: refOf("NodeClaim", claim), annotations };
    });
  const isWritten = Object.entries(wanted).every(([key, value]) => nodePool.metadata.annotations?.[key] === value);
  if (isWritten) return ofPool;
  return [...ofPool, { kind: "patch-metadata", target: refOf("NodePool", nodePool), annotations: wanted }];
}
