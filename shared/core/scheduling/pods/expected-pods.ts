/**
 * Which pods a claim was made for. Karpenter counterpart: pkg/controllers/state/cluster.go, NominateNodeForPod, a timer in
 * memory. It differs: the claim carries digests of its pods, so that any later process knows them, and they keep their
 * places before other pods are looked at; without that, a limit or an offering that comes free meanwhile could make a
 * second claim for them.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { expectedPodsAnnotation } from "#api/outrigger-names.ts";
import { objectName } from "../../object-ref.ts";
import { stableHash } from "../../stable-hash.ts";

/** Two pods of a cluster with one digest do no harm: one of them is looked for in a place that is not its own first. */
const digestLength = 6;

export function podDigest({ metadata }: Pod): string {
  return stableHash(metadata.uid ?? objectName(metadata), digestLength);
}

/** For the annotation; about 7 bytes a pod. */
export function expectedPodsText(pods: readonly Pod[]): string {
  return pods.map(podDigest).sort().join(" ");
}

export function expectedPods(claim: NodeClaim | undefined): readonly string[] {
  const text = claim?.metadata.annotations?.[expectedPodsAnnotation] ?? "";
  return text === "" ? [] : text.split(" ");
}
