/**
 * Karpenter counterpart: none; it replaces a node as often as it drifts. Here a replacement knows for which drift it was
 * made, and two in a row, or side by side, that drifted alike within a day end it until something changes.
 */
import { nodePoolLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { drifted, initialized, transitionMs } from "../nodeclaim/conditions.ts";
import { driftWords } from "../nodeclaim/drift.ts";
import { isDeleting } from "../nodeclaim/managed.ts";
import { type ReplacementRecord, replacementRecord } from "../nodeclaim/replacement-record.ts";
import { nodeClassOf } from "../nodepool/node-class-readiness.ts";
import type { ClusterView } from "../snapshot.ts";
import { stableHash } from "../stable-hash.ts";
import type { Candidate } from "./candidate.ts";

const uncuredMax = 2;
/** What drifts later than this after it was ready had been cured, and drifts anew. */
const relapseMs = 24 * 60 * 60_000;

/** What the replacement of the candidate says of the drift that it is made for. */
export function cureOf(candidates: readonly Candidate[], cluster: ClusterView): ReplacementRecord["cure"] {
  const [candidate] = candidates;
  const digest = candidate === undefined ? undefined : driftDigest(candidate.claim, cluster);
  if (candidate === undefined || digest === undefined) return undefined;
  return { digest, generation: 1 + uncuredBy(candidate.claim, digest) };
}

export interface UncuredDrift {
  readonly nodePool: string;
  readonly digest: string;
  /** Replacements that drifted as their predecessors had. */
  readonly replacements: number;
  /** One of them. */
  readonly example: NodeClaim;
}

/** Drifts that replacing does not cure: their nodes stay. */
export function uncuredDrifts(claims: readonly NodeClaim[], cluster: ClusterView): readonly UncuredDrift[] {
  const found = new Map<string, UncuredDrift>();
  for (const claim of claims) {
    const digest = isDeleting(claim) ? undefined : driftDigest(claim, cluster);
    const uncured = digest === undefined ? 0 : uncuredBy(claim, digest);
    if (digest === undefined || uncured === 0) continue;
    const before = found.get(digest);
    const nodePool = claim.metadata.labels?.[nodePoolLabel] ?? "";
    found.set(digest, { nodePool, digest, example: claim, replacements: uncured + (before?.replacements ?? 0) });
  }
  return [...found.values()].filter(({ replacements }) => replacements >= uncuredMax);
}

/** Of a pool and the way in which its node drifted. A changed pool or node class makes it another one. */
export function driftDigest(claim: NodeClaim, cluster: ClusterView): string | undefined {
  const words = driftWords(claim);
  const name = claim.metadata.labels?.[nodePoolLabel];
  const nodePool = cluster.nodePools.find(({ metadata }) => metadata.name === name);
  if (words === undefined || nodePool === undefined) return undefined;
  const nodeClass = nodeClassOf(nodePool, cluster.nodeClasses);
  const generations = [nodePool, nodeClass].map((object) => object?.metadata.generation ?? 0);
  return stableHash(JSON.stringify([name, words, ...generations]), 8);
}

/** How many replacements in a row, the claim included, drifted as this one did; 0 when it was not made for this drift. */
function uncuredBy(claim: NodeClaim, digest: string): number {
  const cure = replacementRecord(claim)?.cure;
  const [sinceMs, readyMs] = [transitionMs(claim, drifted), transitionMs(claim, initialized)];
  if (cure?.digest !== digest || sinceMs === undefined || readyMs === undefined) return 0;
  return sinceMs - readyMs <= relapseMs ? cure.generation : 0;
}
