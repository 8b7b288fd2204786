import type { Pod } from "#api/core-v1/pod.ts";

/** Pods that want to run, by what they are doing. */
export interface PodCounts {
  /** Without a node. */
  readonly pending: number;
  /** On a node, not running yet. */
  readonly starting: number;
  readonly running: number;
  /** On their way out. */
  readonly ending: number;
}

export function podCounts(pods: readonly Pod[]): PodCounts {
  const counts = { pending: 0, starting: 0, running: 0, ending: 0 };
  for (const pod of pods) {
    const phase = pod.status?.phase;
    if (phase === "Succeeded" || phase === "Failed") continue;
    if (pod.metadata.deletionTimestamp !== undefined) counts.ending++;
    else if (pod.spec.nodeName === undefined) counts.pending++;
    else if (phase === "Running") counts.running++;
    else counts.starting++;
  }
  return counts;
}

/** "2 pending, 3 running"; what is 0 is left out. */
export function podCountsText(counts: PodCounts): string {
  const parts = (["pending", "starting", "running", "ending"] as const)
    .filter((state) => counts[state] > 0)
    .map((state) => `${counts[state]} ${state}`);
  return parts.length === 0 ? "none" : parts.join(", ");
}
