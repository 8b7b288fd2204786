/**
 * Karpenter counterpart: pkg/controllers/nodeclaim/disruption/drift.go, areStaticFieldsDrifted and
 * areRequirementsDrifted. It differs: the verdict says which fields differ, as far as the claim shows it.
 */
import type { Taint } from "#api/core-v1/pod.ts";
import { parseDuration } from "#api/duration.ts";
import { nodePoolHashAnnotation, nodePoolHashVersionAnnotation } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import type { CloudDrift } from "../cloud-provider.ts";
import {
  describeIncompatibility,
  firstIncompatibility,
  labelRequirements,
  labelsMeet,
  type Requirements,
} from "../scheduling/requirements/requirements.ts";

/** The pool's template hashes to another value than when the claim was made; hashes of two versions tell nothing. */
export function templateDrift(claim: NodeClaim, nodePool: NodePool): CloudDrift | undefined {
  const of = (key: string) => [nodePool.metadata.annotations?.[key], claim.metadata.annotations?.[key]] as const;
  const [wanted, own] = of(nodePoolHashAnnotation);
  const [poolVersion, claimVersion] = of(nodePoolHashVersionAnnotation);
  if (wanted === undefined || own === undefined || wanted === own) return undefined;
  if (poolVersion === undefined || poolVersion !== claimVersion) return undefined;
  const differences = templateDifferences(claim, nodePool);
  const what = differences.length === 0 ? "a label or an annotation was taken out" : differences.join(", ");
  const message = `the template of NodePool ${nodePool.metadata.name} changed since the node was made: ${what}`;
  return { reason: "NodePoolDrifted", message };
}

/** `wanted`: the pool's requirements. A label that the claim lacks does not meet one that asks for it. */
export function requirementsDrift(claim: NodeClaim, nodePool: NodePool, wanted: Requirements): CloudDrift | undefined {
  const { labels = {} } = claim.metadata;
  if (labelsMeet(labels, wanted)) return undefined;
  const conflict = firstIncompatibility(labelRequirements(labels), wanted, () => false);
  if (conflict === undefined) return undefined;
  const message = `NodePool ${nodePool.metadata.name} ${describeIncompatibility(conflict)}`;
  return { reason: "RequirementsDrifted", message };
}

/** Fields of the template in which the claim differs, in words. What the template no longer names cannot be seen. */
function templateDifferences({ metadata, spec }: NodeClaim, nodePool: NodePool): readonly string[] {
  const { metadata: wanted, spec: wantedSpec } = nodePool.spec.template;
  return [
    ...mapDifferences("label", wanted?.labels, metadata.labels),
    ...mapDifferences("annotation", wanted?.annotations, metadata.annotations),
    ...(taintsText(wantedSpec.taints) === taintsText(spec.taints) ? [] : ["taints"]),
    ...(taintsText(wantedSpec.startupTaints) === taintsText(spec.startupTaints) ? [] : ["startupTaints"]),
    ...durationDifference("expireAfter", wantedSpec.expireAfter, spec.expireAfter),
    ...durationDifference("terminationGracePeriod", wantedSpec.terminationGracePeriod, spec.terminationGracePeriod),
    ...(wantedSpec.nodeClassRef.name === spec.nodeClassRef.name
      ? []
      : [`nodeClassRef (${spec.nodeClassRef.name}, now ${wantedSpec.nodeClassRef.name})`]),
  ];
}

type Entries = Readonly<Record<string, string>> | undefined;

function mapDifferences(what: string, wanted: Entries, own: Entries): readonly string[] {
  return Object.keys(wanted ?? {})
    .filter((key) => wanted?.[key] !== own?.[key])
    .sort()
    .map((key) => `${what} ${key}`);
}

function taintsText(taints: readonly Taint[] | undefined): string {
  const texts = (taints ?? []).map(({ key, value = "", effect }) => JSON.stringify([key, value, effect]));
  return texts.sort().join();
}

function durationDifference(field: string, wanted: string | undefined, own: string | undefined): readonly string[] {
  const isSame = wanted === own || (wanted !== undefined && own !== undefined && sameDuration(wanted, own));
  return isSame ? [] : [`${field} (${own ?? "none"}, now ${wanted ?? "none"})`];
}

function sameDuration(a: string, b: string): boolean {
  const first = parseDuration(a);
  return first !== undefined && first === parseDuration(b);
}
