/** How long nodes and pods took to come up, as far as their conditions still say it. */
import type { Pod } from "#api/core-v1/pod.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { parseTime } from "#api/time.ts";
import { conditionOf } from "#core/condition.ts";
import { initialized } from "#core/nodeclaim/conditions.ts";

export interface StartUpTimes {
  readonly count: number;
  readonly medianSeconds: number;
  readonly longestSeconds: number;
}

/** From the claim to a node that takes pods. */
export function nodeStartUps(claims: readonly NodeClaim[]): StartUpTimes | undefined {
  return timesOf(claims.map((claim) => sinceCreation(claim.metadata, conditionOf(claim, initialized))));
}

/** From the pod to its readiness, of pods that were made before their node took pods: those that waited for it. */
export function podStartUps(pods: readonly Pod[], claims: readonly NodeClaim[]): StartUpTimes | undefined {
  const takesPodsAtMs = new Map(
    claims.map((claim) => [claim.status?.nodeName, parseTime(conditionOf(claim, initialized)?.lastTransitionTime)]),
  );
  const waited = pods.filter(({ metadata, spec }) => {
    const atMs = takesPodsAtMs.get(spec.nodeName);
    const madeAtMs = parseTime(metadata.creationTimestamp);
    return atMs !== undefined && madeAtMs !== undefined && madeAtMs < atMs;
  });
  return timesOf(
    waited.map(({ metadata, status }) =>
      sinceCreation(
        metadata,
        status?.conditions?.find(({ type }) => type === "Ready"),
      ),
    ),
  );
}

function sinceCreation(
  { creationTimestamp }: { readonly creationTimestamp?: string },
  condition: { readonly status: string; readonly lastTransitionTime?: string } | undefined,
): number | undefined {
  const [beganMs, endedMs] = [parseTime(creationTimestamp), parseTime(condition?.lastTransitionTime)];
  if (beganMs === undefined || endedMs === undefined || condition?.status !== "True") return undefined;
  return (endedMs - beganMs) / 1000;
}

function timesOf(seconds: readonly (number | undefined)[]): StartUpTimes | undefined {
  const sorted = seconds.filter((each) => each !== undefined && each >= 0).sort((a, b) => Number(a) - Number(b));
  const median = sorted[Math.floor((sorted.length - 1) / 2)];
  const longest = sorted.at(-1);
  if (median === undefined || longest === undefined) return undefined;
  return { count: sorted.length, medianSeconds: Math.round(median), longestSeconds: Math.round(longest) };
}
