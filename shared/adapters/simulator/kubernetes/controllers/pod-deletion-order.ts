import type { Pod } from "#api/core-v1/pod.ts";
import { isReady } from "../api-server/eviction.ts";

/** Lower cost is deleted first. Kubernetes: controller.kubernetes.io/pod-deletion-cost. */
const deletionCostAnnotation = "controller.kubernetes.io/pod-deletion-cost";
const phaseRank: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/**
 * The order in which a ReplicaSet lets pods go: not bound, pending, not ready, cheap to delete, doubled up on a node,
 * young. The name decides last.
 */
export function inDeletionOrder(pods: readonly Pod[]): readonly Pod[] {
  const onNode = new Map<string, number>();
  for (const { spec } of pods) onNode.set(spec.nodeName ?? "", (onNode.get(spec.nodeName ?? "") ?? 0) + 1);
  const ranked = pods.map((pod) => ({ pod, ranks: ranksOf(pod, onNode.get(pod.spec.nodeName ?? "") ?? 0) }));
  ranked.sort((a, b) => compareRanks(a.ranks, b.ranks) || (a.pod.metadata.name < b.pod.metadata.name ? -1 : 1));
  return ranked.map(({ pod }) => pod);
}

function ranksOf(pod: Pod, onSameNode: number): readonly number[] {
  const cost = Number(pod.metadata.annotations?.[deletionCostAnnotation] ?? 0);
  return [
    pod.spec.nodeName === undefined ? 0 : 1,
    phaseRank[pod.status?.phase ?? "Pending"] ?? 1,
    isReady(pod) ? 1 : 0,
    Number.isFinite(cost) ? cost : 0,
    -onSameNode,
    -Date.parse(pod.metadata.creationTimestamp ?? "1970-01-01T00:00:00Z"),
  ];
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [index, rank] of a.entries()) {
    const other = b[index] ?? 0;
    if (rank !== other) return rank < other ? -1 : 1;
  }
  return 0;
}
