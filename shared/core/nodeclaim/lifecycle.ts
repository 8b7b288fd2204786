/**
 * Karpenter counterpart: pkg/controllers/nodeclaim/lifecycle/controller.go with nodeclaim.expiration, nodeclaim.podevents,
 * nodeclaim.consistency, both hydrations and nodeclaim.disruption. It differs: all of a claim's conditions are decided together from
 * one view and written once, and only when they change.
 */
import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import { initializedLabel, nodePoolLabel, terminationFinalizer } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { podDigestAnnotation } from "#api/outrigger-names.ts";
import { formatTime, parseTime } from "#api/time.ts";
import type { Command } from "../command.ts";
import { type ConditionChange, conditionOf, isTrue } from "../condition.ts";
import { type Decision, together } from "../decision.ts";
import { lockedRefOf, refOf } from "../object-ref.ts";
import type { Reason } from "../reason.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Stage } from "../stage.ts";
import { nodesByProviderId, nodesOf, podsByNode } from "../state/node-index.ts";
import { pauseOf } from "../state/pause.ts";
import type { RegistrationOutcome } from "../state/registration-outcomes.ts";
import { deleteClaim } from "./claim-deletion.ts";
import { claimStatusPatch, initialized, launched, registered, transitionMs } from "./conditions.ts";
import { consistencyOf, consistencyReasons } from "./consistency.ts";
import { consolidatableOf, windowChanges } from "./consolidatable.ts";
import { type DriftKnowledge, type DriftVerdict, DriftWatch, driftChanges, driftReasons } from "./drift.ts";
import { expiresAtMs } from "./expiration.ts";
import { hydrationPatches, missingClassLabel } from "./hydration.ts";
import { initializationOf } from "./initialization.ts";
import { joinPollAtMs } from "./join-poll.ts";
import { livenessOf } from "./liveness.ts";
import { isDeleting, isManagedClaim, type NodeClassKind } from "./managed.ts";
import { podEvent } from "./pod-events.ts";
import { registrationOf } from "./registration-condition.ts";
import { joinBackOffPatches, registrationHealthPatches } from "./registration-health.ts";

/** What surrounds one claim. */
interface Surroundings {
  readonly claim: NodeClaim;
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly nodePool: NodePool | undefined;
  readonly nodeClass: NodeClassKind;
  readonly drift: DriftVerdict;
  /** ms; undefined: never, or not before a pause ends. */
  readonly expiryMs: number | undefined;
  readonly nowMs: number;
}

interface ClaimDecision {
  readonly decision: Decision;
  readonly outcome?: RegistrationOutcome;
}

export function lifecycle<View>(provider: DriftKnowledge<View>): Stage<View> {
  return {
    name: "lifecycle",
    decide: (snapshot) => {
      const claims = snapshot.cluster.nodeClaims.filter(
        (claim) => isManagedClaim(claim, provider.nodeClass) && !isDeleting(claim),
      );
      const drift = new DriftWatch(snapshot, provider);
      const decided = surroundingsOf(snapshot, claims, provider.nodeClass, drift).map((around) => ({
        around,
        ...lifecycleOf(around),
      }));
      const outcomes = decided.flatMap(({ around: { claim, nodePool }, outcome }) =>
        outcome === undefined ? [] : [{ claim, nodePool, outcome }],
      );
      const health = registrationHealthPatches(snapshot.cluster, outcomes);
      const joining = joinBackOffPatches(snapshot.cluster, outcomes, health, snapshot.nowMs);
      return together([...decided.map(({ decision }) => decision), { commands: [...health, ...joining], reasons: [] }]);
    },
  };
}

function surroundingsOf<View>(
  snapshot: Snapshot<View>,
  claims: readonly NodeClaim[],
  nodeClass: NodeClassKind,
  drift: DriftWatch<View>,
): readonly Surroundings[] {
  const { cluster, nowMs } = snapshot;
  const isPaused = pauseOf(cluster.state, nowMs) !== undefined;
  const nodes = nodesByProviderId(cluster.nodes);
  const pods = podsByNode(cluster.pods);
  const pools = new Map(cluster.nodePools.map((nodePool) => [nodePool.metadata.name, nodePool]));
  return claims.map((claim) => {
    const own = nodesOf(claim, nodes);
    return {
      claim,
      nodes: own,
      pods: own.flatMap((node) => pods.get(node.metadata.name) ?? []),
      nodePool: pools.get(claim.metadata.labels?.[nodePoolLabel] ?? ""),
      nodeClass,
      drift: drift.verdictOf(claim),
      expiryMs: isPaused ? undefined : expiresAtMs(claim),
      nowMs,
    };
  });
}

function lifecycleOf(around: Surroundings): ClaimDecision {
  const { claim, nodeClass, expiryMs, nowMs } = around;
  const finalizers = claim.metadata.finalizers ?? [];
  if (!finalizers.includes(terminationFinalizer)) {
    const target = lockedRefOf("NodeClaim", claim);
    const labels = missingClassLabel(claim, claim, nodeClass);
    const patch: Command = {
      ...{ kind: "patch-metadata", target, finalizers: [...finalizers, terminationFinalizer] },
      ...(labels === undefined ? {} : { labels }),
    };
    return { decision: { commands: [patch], reasons: [] } };
  }
  if (expiryMs !== undefined && expiryMs <= nowMs) {
    return { decision: deleteClaim(claim, "expired", `Older than its expireAfter of ${claim.spec.expireAfter}`) };
  }
  const changes = isTrue(claim, launched) ? progress(around) : [];
  const isRegistered = holds(claim, registered, changes);
  const liveness = livenessOf(claim, isRegistered, nowMs);
  if (liveness.kind === "timed-out") {
    const outcome: RegistrationOutcome = { kind: "failed", reason: liveness.reason, message: liveness.message };
    return { decision: deleteClaim(claim, liveness.cause, liveness.message), outcome };
  }
  const joinMs = joinPollAtMs(claim, holds(claim, initialized, changes), nowMs);
  const decision = together([written(around, changes), again([expiryMs, liveness.untilMs, joinMs])]);
  return isRegistered && !isTrue(claim, registered) ? { decision, outcome: { kind: "registered" } } : { decision };
}

/** The claim's conditions up to Initialized, as far as they are not True for good. */
function progress({ claim, nodes }: Surroundings): readonly ConditionChange[] {
  const changes: ConditionChange[] = [];
  if (!isTrue(claim, registered)) changes.push(registrationOf(claim.status?.providerID ?? "", nodes));
  if (holds(claim, registered, changes) && !isTrue(claim, initialized)) changes.push(initializationOf(claim, nodes[0]));
  return changes;
}

function holds(claim: NodeClaim, type: string, changes: readonly ConditionChange[]): boolean {
  return (changes.find((change) => change.type === type) ?? conditionOf(claim, type))?.status === "True";
}

/** Status first, under its lock; then the digest and labels, which need none. */
function written(around: Surroundings, changes: readonly ConditionChange[]): Decision {
  const { claim, nodes, nodeClass, nowMs } = around;
  const node = nodes[0];
  const isInitialized = holds(claim, initialized, changes);
  const event = isInitialized ? podEvent(claim, around.pods, nowMs) : undefined;
  const lastEventMs = event?.atMs ?? parseTime(claim.status?.lastPodEventTime);
  const initializedMs = isTrue(claim, initialized) ? transitionMs(claim, initialized) : nowMs;
  const window = consolidatableOf(around.nodePool, isInitialized ? (lastEventMs ?? initializedMs) : undefined, nowMs);
  const found = isInitialized ? consistencyOf(claim, node) : [];
  const isRegistered = holds(claim, registered, changes);
  const fields = {
    ...(event === undefined ? {} : { lastPodEventTime: formatTime(event.atMs) }),
    ...(node !== undefined && isRegistered ? { nodeName: node.metadata.name } : {}),
  };
  const drift = driftChanges(claim, around.drift);
  const conditions = [...changes, ...found, ...drift, ...windowChanges(claim, window)];
  const status = claimStatusPatch(claim, conditions, fields, nowMs);
  const commands = [
    status,
    event === undefined ? undefined : digestPatch(claim, event.digest),
    isInitialized && node !== undefined ? initializedPatch(node) : undefined,
    ...hydrationPatches(claim, isRegistered ? node : undefined, nodeClass),
  ].filter((command) => command !== undefined);
  const reasons = [
    ...reasonsOf(claim, node, changes),
    ...found.flatMap((change) => consistencyReasons(claim, change)),
    ...driftReasons(claim, drift),
  ];
  return together([{ commands, reasons }, again([window.againAtMs])]);
}

function digestPatch(claim: NodeClaim, digest: string): Command {
  const annotations = { [podDigestAnnotation]: digest === "" ? null : digest };
  return { kind: "patch-metadata", target: refOf("NodeClaim", claim), annotations };
}

function initializedPatch(node: Node): Command | undefined {
  if (node.metadata.labels?.[initializedLabel] === "true") return undefined;
  return { kind: "patch-metadata", target: refOf("Node", node), labels: { [initializedLabel]: "true" } };
}

function reasonsOf(claim: NodeClaim, node: Node | undefined, changes: readonly ConditionChange[]): readonly Reason[] {
  const about = refOf("NodeClaim", claim);
  return changes.map((change): Reason => {
    const differs = conditionOf(claim, change.type)?.status !== change.status;
    const event = differs ? { event: { type: "Normal", reason: change.type } as const } : {};
    if (change.status !== "True") {
      return {
        about,
        code: "claim-waiting",
        message: `${change.type}: ${change.message ?? change.reason ?? ""}`,
        ...event,
      };
    }
    const code = change.type === registered ? "claim-registered" : "claim-initialized";
    const name = node?.metadata.name ?? "";
    return { about, code, message: `Node ${name} is ${change.type.toLowerCase()}`, data: { node: name }, ...event };
  });
}

function again(times: readonly (number | undefined)[]): Decision {
  const known = times.filter((ms) => ms !== undefined);
  return { commands: [], reasons: [], ...(known.length === 0 ? {} : { againAtMs: Math.min(...known) }) };
}
