/**
 * Karpenter counterpart: none; it drains an interrupted node at once and its pods wait for the replacement as pending
 * pods. Here a node with a spot warning keeps its pods until their replacement is there, as far as the warning's two minutes
 * allow.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { interruptedAtAnnotation, replacesAnnotation } from "#api/outrigger-names.ts";
import { parseTime } from "#api/time.ts";
import { isTrue } from "../condition.ts";
import { initialized } from "../nodeclaim/conditions.ts";
import { isDeleting } from "../nodeclaim/managed.ts";
import type { Snapshot } from "../snapshot.ts";
import { gracePeriodMs } from "./drain.ts";

/** From the warning to the interruption. */
export const warningMs = 120_000;
/** No pod's grace counts for more: what is longer could never be had in full. */
const graceMsMax = 60_000;
/** For the eviction calls themselves and the kubelet's work. */
const reserveMs = 10_000;
const pollMs = 20_000;

export type InterruptionWait =
  | { readonly kind: "over" }
  | {
      readonly kind: "waiting";
      readonly untilMs: number;
      /** When to look again: sooner than the end, since nobody may be awake for a time further away than a minute. */
      readonly againAtMs: number;
      readonly replacements: readonly string[];
    };

/** Whether the pods of a deleted claim's node should stay a little longer. `waiting`: pods that a drain waits for. */
export function interruptionWait(claim: NodeClaim, waiting: readonly Pod[], snapshot: Snapshot): InterruptionWait {
  const warnedMs = parseTime(claim.metadata.annotations?.[interruptedAtAnnotation]);
  if (warnedMs === undefined || waiting.length === 0) return { kind: "over" };
  const longestMs = Math.min(graceMsMax, Math.max(...waiting.map(gracePeriodMs)));
  const untilMs = warnedMs + warningMs - reserveMs - longestMs;
  if (snapshot.nowMs >= untilMs) return { kind: "over" };
  const replacements = snapshot.cluster.nodeClaims.filter((other) => replaces(other, claim));
  const awaited = replacements.filter((other) => !isDeleting(other) && !isTrue(other, initialized));
  const failed = launchFailed(replacements, snapshot);
  if (awaited.length === 0 && !failed) return { kind: "over" };
  const againAtMs = Math.min(untilMs, snapshot.nowMs + pollMs);
  return { kind: "waiting", untilMs, againAtMs, replacements: awaited.map(({ metadata }) => metadata.name) };
}

function replaces(other: NodeClaim, claim: NodeClaim): boolean {
  const names = other.metadata.annotations?.[replacesAnnotation]?.split(",") ?? [];
  return names.some((name) => name.trim() === claim.metadata.name);
}

/** A replacement could not be launched in this tick: the next tick makes another one. */
function launchFailed(replacements: readonly NodeClaim[], snapshot: Snapshot): boolean {
  const uids = new Set(replacements.map(({ metadata }) => metadata.uid));
  return snapshot.steps.some(
    ({ command, outcome }) =>
      command.kind === "launch-instance" && outcome.kind === "failed" && uids.has(command.nodeClaimUid),
  );
}
