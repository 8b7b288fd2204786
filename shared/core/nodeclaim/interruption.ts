/**
 * Karpenter counterpart: pkg/controllers/interruption of its AWS provider. It differs: a spot warning leaves its time on
 * the claim, so that the drain can wait for the replacement within the two minutes that it leaves. Every write is commutative (delete
 * with UID, merge patch): no Lease is needed. A notice for a claim that is already on its way out changes nothing, so
 * any order and repetition of the messages ends the same. A message that comes before its instance is recorded on the
 * claim is remembered until it is.
 */
import type { Node } from "#api/core-v1/node.ts";
import {
  capacityTypeLabel,
  instanceTypeLabel,
  nodePoolLabel,
  terminationTimestampAnnotation,
  zoneLabel,
} from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { interruptedAtAnnotation, onRebalanceAnnotation, rebalanceAtAnnotation } from "#api/outrigger-names.ts";
import { formatTime } from "#api/time.ts";
import type { Command } from "../command.ts";
import { type Decision, together } from "../decision.ts";
import type { InterruptionKind, InterruptionNotice } from "../interruption-notice.ts";
import { refOf } from "../object-ref.ts";
import { byKey } from "../order.ts";
import type { Reason } from "../reason.ts";
import { nodesByProviderId, nodesOf } from "../state/node-index.ts";
import { markUnavailable, type OfferingName } from "../state/unavailable-offerings.ts";
import { instanceIdOf } from "./instance-presence.ts";
import { attemptFailed, recordedAttempt } from "./launch-attempt.ts";
import { isDeleting, isManagedClaim, type NodeClassKind } from "./managed.ts";
import { earlyEndPatches } from "./registration-health.ts";

/** In the order in which they count, when several speak of one instance. */
const kinds = {
  "spot-interruption": { event: "SpotInterrupted", cause: "spot_interrupted" },
  "capacity-reservation-interruption": {
    event: "CapacityReservationInstanceInterrupted",
    cause: "capacity_reservation_interrupted",
  },
  terminated: { event: "InstanceTerminating", cause: "instance_terminated" },
  stopping: { event: "InstanceStopping", cause: "instance_stopped" },
  "system-status": { event: "InstanceUnhealthy", cause: "system_status" },
  "instance-status": { event: "InstanceUnhealthy", cause: "instance_status" },
  "event-status": { event: "InstanceUnhealthy", cause: "event_status" },
  "scheduled-change": { event: "InstanceUnhealthy", cause: "scheduled_change" },
  rebalance: { event: "SpotRebalanceRecommendation", cause: "rebalance_recommendation" },
} as const satisfies Readonly<Record<InterruptionKind, { readonly event: string; readonly cause: string }>>;
const order = Object.keys(kinds);

export function isInterruptionKind(word: string): word is InterruptionKind {
  return Object.hasOwn(kinds, word);
}

export interface InterruptionInput {
  readonly nodeClaims: readonly NodeClaim[];
  readonly nodes: readonly Node[];
  readonly nodePools: readonly NodePool[];
  readonly state: Readonly<Record<string, string>>;
  readonly nowMs: number;
  readonly nodeClass: NodeClassKind;
  readonly notices: readonly InterruptionNotice[];
}

/** What tells whether a notice is of any interest. */
export type ConcernInput = Pick<InterruptionInput, "nodeClaims" | "nodeClass" | "notices" | "nowMs">;

/** Whether anything is to be decided: most notices are about instances of others. */
export function concernsUs(input: ConcernInput): boolean {
  const claims = claimsByInstance(input);
  return input.notices.some(({ instanceId }) => claims.has(instanceId)) || unrecordedNotices(input).length > 0;
}

/** What to do about the notices; those of foreign instances change nothing. */
export function interrupt(input: InterruptionInput): Decision {
  const claims = claimsByInstance(input);
  const nodes = nodesByProviderId(input.nodes);
  const noticed = strongest(input.notices).flatMap((notice): readonly Noticed[] => {
    const claim = claims.get(notice.instanceId);
    return claim === undefined || isDeleting(claim) ? [] : [{ claim, nodes: nodesOf(claim, nodes), notice }];
  });
  const offerings = noticed.flatMap(spotOffering);
  const ended = noticed.filter(({ notice }) => isEnd(notice)).map(({ claim }) => claim);
  const remembered = [
    ...markUnavailable(input.state, offerings, input.nowMs),
    ...earlyEndPatches(input, ended, input.nowMs),
  ];
  return together([{ commands: remembered, reasons: [] }, ...noticed.map((one) => interruptClaim(one, input))]);
}

/**
 * How old a notice may be to concern an instance that is not recorded yet, ms. The tick that launches records it within
 * seconds; a crash between the two is mended by adoption in the next tick, a minute later at most.
 */
const recordingMsMax = 60_000;

/**
 * Notices that may be about an instance that was launched for one of our claims and is not recorded on it yet. Nothing
 * can be decided about them now, and the two minutes of a spot warning run already.
 */
export function unrecordedNotices(input: ConcernInput): readonly InterruptionNotice[] {
  const isAnyRecording = input.nodeClaims.some(
    (claim) => isManagedClaim(claim, input.nodeClass) && isBeingRecorded(claim),
  );
  if (!isAnyRecording) return [];
  const claims = claimsByInstance(input);
  const isYoung = ({ kind, instanceId, atMs = input.nowMs }: InterruptionNotice): boolean =>
    kind !== "rebalance" && !claims.has(instanceId) && input.nowMs - atMs <= recordingMsMax;
  return strongest(input.notices.filter(isYoung));
}

function isBeingRecorded(claim: NodeClaim): boolean {
  if (claim.status?.providerID !== undefined || isDeleting(claim)) return false;
  return recordedAttempt(claim) > 0 && !attemptFailed(claim);
}

/** Whether a machine has gone that a claim on its way out waits for: its drain ends, and its finalizers can go. */
export function endsWaiting(input: ConcernInput): boolean {
  const claims = claimsByInstance(input);
  return input.notices.some((notice) => {
    const claim = claims.get(notice.instanceId);
    return isEnd(notice) && claim !== undefined && isDeleting(claim);
  });
}

function isEnd({ kind }: InterruptionNotice): boolean {
  return kind === "terminated" || kind === "stopping";
}

function claimsByInstance({ nodeClaims, nodeClass }: ConcernInput): ReadonlyMap<string, NodeClaim> {
  return new Map(
    nodeClaims
      .filter((claim) => isManagedClaim(claim, nodeClass) && claim.status?.providerID !== undefined)
      .map((claim) => [instanceIdOf(claim.status?.providerID ?? ""), claim]),
  );
}

interface Noticed {
  readonly claim: NodeClaim;
  readonly nodes: readonly Node[];
  readonly notice: InterruptionNotice;
}

/** One notice an instance, in the order of the instances' ids. */
function strongest(notices: readonly InterruptionNotice[]): readonly InterruptionNotice[] {
  const byInstance = new Map<string, InterruptionNotice>();
  for (const notice of notices) {
    const other = byInstance.get(notice.instanceId);
    if (other === undefined || comesBefore(notice, other)) byInstance.set(notice.instanceId, notice);
  }
  return [...byInstance.values()].sort(byKey(({ instanceId }) => instanceId));
}

function comesBefore(a: InterruptionNotice, b: InterruptionNotice): boolean {
  const rank = order.indexOf(a.kind) - order.indexOf(b.kind);
  return rank < 0 || (rank === 0 && (a.atMs ?? Number.POSITIVE_INFINITY) < (b.atMs ?? Number.POSITIVE_INFINITY));
}

function interruptClaim({ claim, nodes, notice }: Noticed, { nowMs, nodePools }: InterruptionInput): Decision {
  const told = noticeReasons(claim, nodes, notice);
  if (notice.kind === "rebalance") return { commands: recommendationCommands(claim, nodePools, nowMs), reasons: told };
  const isSpotWarning = notice.kind === "spot-interruption";
  const commands: readonly Command[] = [
    ...(isSpotWarning ? warningCommands(claim, Math.min(notice.atMs ?? nowMs, nowMs)) : []),
    ...(isBroken(notice) ? deadlineCommands(claim, nowMs) : []),
    { kind: "delete-object", target: refOf("NodeClaim", claim) },
  ];
  return { commands, reasons: [...told, ...terminatingReasons(claim, nodes, notice)] };
}

/** Said only, unless the claim's pool acts on recommendations: then the loop replaces the node within its budgets. */
function recommendationCommands(claim: NodeClaim, nodePools: readonly NodePool[], nowMs: number): readonly Command[] {
  const { labels = {}, annotations = {} } = claim.metadata;
  const pool = nodePools.find(({ metadata }) => metadata.name === labels[nodePoolLabel]);
  if (pool === undefined || !actsOnRebalance(pool) || annotations[rebalanceAtAnnotation] !== undefined) return [];
  const target = refOf("NodeClaim", claim);
  return [{ kind: "patch-metadata", target, annotations: { [rebalanceAtAnnotation]: formatTime(nowMs) } }];
}

export function actsOnRebalance({ metadata }: NodePool): boolean {
  return metadata.annotations?.[onRebalanceAnnotation] === "replace";
}

function isBroken({ kind }: InterruptionNotice): boolean {
  return kind === "system-status" || kind === "instance-status";
}

/** A machine that fails its checks is not drained: its deadline is now. Karpenter: instancestatus, the forceful kinds. */
function deadlineCommands(claim: NodeClaim, nowMs: number): readonly Command[] {
  if (claim.metadata.annotations?.[terminationTimestampAnnotation] !== undefined) return [];
  const annotations = { [terminationTimestampAnnotation]: formatTime(nowMs) };
  return [{ kind: "patch-metadata", target: refOf("NodeClaim", claim), annotations }];
}

/** A spot offering that is being taken back is not to be had again for a while. */
function spotOffering({ claim, notice }: Noticed): readonly OfferingName[] {
  const labels = claim.metadata.labels ?? {};
  const [instanceType, zone] = [labels[instanceTypeLabel], labels[zoneLabel]];
  const isSpot = notice.kind === "spot-interruption" && labels[capacityTypeLabel] === "spot";
  return isSpot && instanceType !== undefined && zone !== undefined
    ? [{ instanceType, zone, capacityType: "spot" }]
    : [];
}

/** The claim remembers when the two minutes began. */
function warningCommands(claim: NodeClaim, warnedMs: number): readonly Command[] {
  if (claim.metadata.annotations?.[interruptedAtAnnotation] !== undefined) return [];
  const annotations = { [interruptedAtAnnotation]: formatTime(warnedMs) };
  return [{ kind: "patch-metadata", target: refOf("NodeClaim", claim), annotations }];
}

function noticeReasons(claim: NodeClaim, nodes: readonly Node[], notice: InterruptionNotice): readonly Reason[] {
  const { event, cause } = kinds[notice.kind];
  const type = notice.kind === "rebalance" ? "Normal" : "Warning";
  const message = `Interruption notice for instance ${notice.instanceId}: ${notice.kind}`;
  return [refOf("NodeClaim", claim), ...nodes.map((node) => refOf("Node", node))].map((about) => ({
    about,
    code: "claim-interrupted",
    message,
    data: { kind: notice.kind, cause, instanceId: notice.instanceId },
    event: { type, reason: event },
  }));
}

function terminatingReasons(claim: NodeClaim, nodes: readonly Node[], notice: InterruptionNotice): readonly Reason[] {
  return [refOf("NodeClaim", claim), ...nodes.map((node) => refOf("Node", node))].map((about) => ({
    about,
    code: "claim-deleted",
    message: `Terminated because of the interruption notice ${notice.kind}`,
    data: { cause: kinds[notice.kind].cause },
    event: { type: "Warning", reason: "TerminatingOnInterruption" },
  }));
}
