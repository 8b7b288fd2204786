/**
 * Karpenter counterpart: pkg/controllers/nodeclaim/podevents, which sees each pod's change as it happens and stamps
 * status.lastPodEventTime. It differs: a tick sees the pods as they are, so a digest of them is kept on the claim, and a
 * digest that differs is an event. A restart is none (Karpenter's restarts every consolidateAfter window).
 */
import type { Pod } from "#api/core-v1/pod.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { podDigestAnnotation } from "#api/outrigger-names.ts";
import { parseTime } from "#api/time.ts";
import { isOwnedByDaemonSet, isTerminal, isTerminating } from "../pod/pod-predicates.ts";
import { stableHash } from "../stable-hash.ts";

export interface PodEvent {
  readonly digest: string;
  readonly atMs: number;
}

/** The pods' count and a hash of who they are and whether they come or go. Pods of DaemonSets do not count. */
export function podDigest(pods: readonly Pod[]): string {
  const texts = pods
    .filter((pod) => !isOwnedByDaemonSet(pod))
    .map((pod) => `${pod.metadata.uid ?? pod.metadata.name}${isTerminal(pod) ? "!" : isTerminating(pod) ? "-" : ""}`)
    .sort();
  return texts.length === 0 ? "" : `${texts.length}.${stableHash(texts.join(" "), 12)}`;
}

/** What happened to the claim's pods since the digest was written; undefined when nothing did. */
export function podEvent(claim: NodeClaim, pods: readonly Pod[], nowMs: number): PodEvent | undefined {
  const before = claim.metadata.annotations?.[podDigestAnnotation] ?? "";
  const digest = podDigest(pods);
  if (digest === before) return undefined;
  const lastMs = parseTime(claim.status?.lastPodEventTime) ?? 0;
  const isGrowth = countOf(digest) > countOf(before);
  const arrivedMs = isGrowth ? newestArrivalMs(pods, nowMs) : undefined;
  // A departure leaves no time behind: it counts as of now, at most a tick late and never early.
  if (arrivedMs === undefined) return { digest, atMs: nowMs };
  // Without a digest there are only arrivals, and Karpenter may have noted a later one before it handed over.
  if (before === "") return { digest, atMs: Math.max(arrivedMs, lastMs) };
  return { digest, atMs: arrivedMs > lastMs ? arrivedMs : nowMs };
}

function countOf(digest: string): number {
  return Number.parseInt(digest, 10) || 0;
}

/** When the newest of the pods was bound to the node. */
function newestArrivalMs(pods: readonly Pod[], nowMs: number): number | undefined {
  const times = pods
    .filter((pod) => !isOwnedByDaemonSet(pod))
    .flatMap((pod) => {
      const bound = pod.status?.conditions?.find((c) => c.type === "PodScheduled" && c.status === "True");
      return parseTime(bound?.lastTransitionTime) ?? [];
    })
    .filter((ms) => ms <= nowMs);
  return times.length === 0 ? undefined : Math.max(...times);
}
