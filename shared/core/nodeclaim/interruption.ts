/**
 * Karpenter counterpart: pkg/controllers/interruption of its AWS provider. It differs: a spot warning leaves its time on
 * the claim, so that the drain can wait for the replacement within EC2's two minutes. Every write is commutative (delete
 * with UID, merge patch): no Lease is needed. A notice for a claim that is already on its way out changes nothing, so
 * any order and repetition of the messages ends the same.
 */
import type { Node } from "#api/core-v1/node.ts";
import { capacityTypeLabel, instanceTypeLabel, zoneLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { interruptedAtAnnotation } from "#api/outrigger-names.ts";
import { formatTime } from "#api/time.ts";
import type { Command } from "../command.ts";
import { type Decision, nothing, together } from "../decision.ts";
import { nodesByProviderId, nodesOf } from "../node/node-index.ts";
import { refOf } from "../object-ref.ts";
import type { Reason } from "../reason.ts";
import { restOffering } from "../state/unavailable-offerings.ts";
import { instanceIdOf } from "./instance-presence.ts";
import { isDeleting, isManagedClaim, type NodeClassKind } from "./managed.ts";

/** In the order in which they count, when several speak of one instance. */
const kinds = {
  "spot-interruption": { event: "SpotInterrupted", cause: "spot_interrupted" },
  "capacity-reservation-interruption": {
    event: "CapacityReservationInstanceInterrupted",
    cause: "capacity_reservation_interrupted",
  },
  terminated: { event: "InstanceTerminating", cause: "instance_terminated" },
  stopping: { event: "InstanceStopping", cause: "instance_stopped" },
  "scheduled-change": { event: "InstanceUnhealthy", cause: "scheduled_change" },
  rebalance: { event: "SpotRebalanceRecommendation", cause: "rebalance_recommendation" },
} as const;
const order = Object.keys(kinds);

export type InterruptionKind = keyof typeof kinds;

export interface InterruptionNotice {
  readonly kind: InterruptionKind;
  readonly instanceId: string;
  /** When the cloud said it, ms; absent: now. */
  readonly atMs?: number;
}

export interface InterruptionInput {
  readonly nodeClaims: readonly NodeClaim[];
  readonly nodes: readonly Node[];
  readonly state: Readonly<Record<string, string>>;
  readonly nowMs: number;
  readonly nodeClass: NodeClassKind;
  readonly notices: readonly InterruptionNotice[];
}

/** What to do about the notices; those of foreign instances change nothing. */
export function interrupt(input: InterruptionInput): Decision {
  const claims = new Map(
    input.nodeClaims
      .filter((claim) => isManagedClaim(claim, input.nodeClass) && claim.status?.providerID !== undefined)
      .map((claim) => [instanceIdOf(claim.status?.providerID ?? ""), claim]),
  );
  const nodes = nodesByProviderId(input.nodes);
  return together(
    strongest(input.notices).map((notice) => {
      const claim = claims.get(notice.instanceId);
      if (claim === undefined || isDeleting(claim)) return nothing;
      return interruptClaim(claim, nodesOf(claim, nodes), notice, input);
    }),
  );
}

/** One notice an instance, in the order of the instances' ids. */
function strongest(notices: readonly InterruptionNotice[]): readonly InterruptionNotice[] {
  const byInstance = new Map<string, InterruptionNotice>();
  for (const notice of notices) {
    const other = byInstance.get(notice.instanceId);
    if (other === undefined || comesBefore(notice, other)) byInstance.set(notice.instanceId, notice);
  }
  return [...byInstance.values()].sort((a, b) => (a.instanceId < b.instanceId ? -1 : 1));
}

function comesBefore(a: InterruptionNotice, b: InterruptionNotice): boolean {
  const rank = order.indexOf(a.kind) - order.indexOf(b.kind);
  return rank < 0 || (rank === 0 && (a.atMs ?? Number.POSITIVE_INFINITY) < (b.atMs ?? Number.POSITIVE_INFINITY));
}

function interruptClaim(
  claim: NodeClaim,
  nodes: readonly Node[],
  notice: InterruptionNotice,
  { state, nowMs }: InterruptionInput,
): Decision {
  const about = refOf("NodeClaim", claim);
  const said = saying(claim, nodes, notice);
  if (notice.kind === "rebalance") return { commands: [], reasons: said };
  const isSpotWarning = notice.kind === "spot-interruption";
  const commands: readonly Command[] = [
    ...(isSpotWarning ? spotCommands(claim, Math.min(notice.atMs ?? nowMs, nowMs), state, nowMs) : []),
    { kind: "delete-object", target: about },
  ];
  return { commands, reasons: [...said, ...terminatingReasons(claim, nodes, notice)] };
}

/** The interrupted offering rests, and the claim remembers when the two minutes began. */
function spotCommands(
  claim: NodeClaim,
  warnedMs: number,
  state: Readonly<Record<string, string>>,
  nowMs: number,
): readonly Command[] {
  const labels = claim.metadata.labels ?? {};
  const [instanceType, zone] = [labels[instanceTypeLabel], labels[zoneLabel]];
  const isSpot = labels[capacityTypeLabel] === "spot";
  const rests =
    isSpot && instanceType !== undefined && zone !== undefined
      ? [restOffering(state, { instanceType, zone, capacityType: "spot" }, nowMs)]
      : [];
  if (claim.metadata.annotations?.[interruptedAtAnnotation] !== undefined) return rests;
  const annotations = { [interruptedAtAnnotation]: formatTime(warnedMs) };
  return [...rests, { kind: "patch-metadata", target: refOf("NodeClaim", claim), annotations }];
}

function saying(claim: NodeClaim, nodes: readonly Node[], notice: InterruptionNotice): readonly Reason[] {
  const { event, cause } = kinds[notice.kind];
  const type = notice.kind === "rebalance" ? "Normal" : "Warning";
  const message = `The cloud announced for instance ${notice.instanceId}: ${notice.kind}`;
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
    message: `Terminated because of the announcement: ${notice.kind}`,
    data: { cause: kinds[notice.kind].cause },
    event: { type: "Warning", reason: "TerminatingOnInterruption" },
  }));
}
