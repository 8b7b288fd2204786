/**
 * Karpenter counterpart: pkg/controllers/provisioning/scheduling/queue.go, byCPUAndMemoryDescending. It differs: equal
 * pods in order of age.
 */
import type { Pod } from "#api/core-v1/pod.ts";

/** Older first; then by UID and name, so that the order is total. */
export function byAge(a: Pod, b: Pod): number {
  const [first, second] = [a.metadata, b.metadata];
  return (
    compare(first.creationTimestamp, second.creationTimestamp) ||
    compare(first.uid, second.uid) ||
    compare(first.namespace, second.namespace) ||
    compare(first.name, second.name)
  );
}

function compare(a = "", b = ""): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
