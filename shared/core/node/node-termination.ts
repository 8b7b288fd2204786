/**
 * Karpenter counterpart: pkg/controllers/node/termination/controller.go. It differs: the Node object is deleted only when
 * its pods begin to leave (load balancers drop a deleted Node at once), which matters while an interrupted node waits
 * for its replacement.
 */
import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import { excludeFromBalancersLabel, terminationFinalizer } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { Command } from "../command.ts";
import { type ConditionChange, conditionOf, isTrue } from "../condition.ts";
import { type Decision, nothing, together } from "../decision.ts";
import { claimStatusPatch, drained, transitionMs, volumesDetached } from "../nodeclaim/conditions.ts";
import { type Instances, presenceOf } from "../nodeclaim/instance-presence.ts";
import { instanceDecision, instanceEnd } from "../nodeclaim/instance-termination.ts";
import { isDeleting } from "../nodeclaim/managed.ts";
import { lockedRefOf, type ObjectRef, refOf } from "../object-ref.ts";
import { alonePods } from "../pod/alone.ts";
import { disruptedTaint } from "../scheduling/requirements/taints.ts";
import type { Snapshot } from "../snapshot.ts";
import { isReady } from "../state/node-readiness.ts";
import { hasTaint, withOnlyTaint } from "../state/node-taints.ts";
import { drain, isDrained } from "./drain.ts";
import { drainDecision } from "./drain-decision.ts";
import { refusalsOf } from "./eviction-retry.ts";
import { interruptionWait } from "./interruption-wait.ts";
import { deadlineMs } from "./termination-deadline.ts";
import { blockingAttachments } from "./volume-detachment.ts";

/** Karpenter: time for controllers to see that the node is going before it does. */
const drainMsMin = 5_000;

/** A node on its way out. Without a claim nobody terminates its instance here; collection does. */
export interface LeavingNode {
  readonly node: Node;
  readonly pods: readonly Pod[];
  /** Pods on it that cannot be read. */
  readonly unreadable: readonly ObjectRef[];
  readonly claim: NodeClaim | undefined;
}

function waitText(pods: number, replacements: readonly string[], seconds: number): string {
  const stay = pods === 1 ? "Its pod stays" : `Its ${pods} pods stay`;
  const names = replacements.join(", ") || "a replacement";
  return `${stay} until ${names} ${replacements.length > 1 ? "are" : "is"} initialized, ${seconds} s at most`;
}

export function nodeTermination(leaving: LeavingNode, instances: Instances, snapshot: Snapshot): Decision {
  const { node, claim } = leaving;
  const { nowMs } = snapshot;
  if (!isReady(node) && isInstanceGone(claim, instances, snapshot)) {
    return { commands: finalizeCommands(node), reasons: [] };
  }
  const deadline = claim === undefined ? undefined : deadlineMs(claim);
  const plan = drain(leaving, deadline, nowMs);
  const wait = claim === undefined ? undefined : interruptionWait(claim, plan.waiting, snapshot);
  if (wait?.kind === "waiting") {
    const message = waitText(plan.waiting.length, wait.replacements, Math.ceil((wait.untilMs - nowMs) / 1000));
    const reason = { about: refOf("Node", node), code: "node-draining", message } as const;
    return { commands: taintCommands(node, false), reasons: [reason], againAtMs: wait.againAtMs };
  }
  const going = { commands: [...taintCommands(node, true), ...deleteCommands(node)], reasons: [] };
  if (!isDrained(plan)) {
    const refusals = refusalsOf(snapshot.cluster.state, node);
    const state = { drain: plan, deadlineMs: deadline, refusals, isAlone: alonePods(snapshot) };
    return together([going, conditions(claim, [draining], nowMs), drainDecision(node, state, nowMs)]);
  }
  return together([going, afterDrain(leaving, deadline, instances, snapshot)]);
}

const draining: ConditionChange = {
  type: drained,
  status: "Unknown",
  reason: "Draining",
  message: "Pods are leaving the node",
};

/** Volumes, then the instance, then the finalizer: the first that is not done ends the way. */
function afterDrain(
  { node, pods, claim }: LeavingNode,
  deadline: number | undefined,
  instances: Instances,
  snapshot: Snapshot,
): Decision {
  const { nowMs } = snapshot;
  if (claim !== undefined && !isTrue(claim, drained)) {
    const sinceMs = conditionOf(claim, drained) === undefined ? nowMs : (transitionMs(claim, drained) ?? nowMs);
    if (nowMs - sinceMs < drainMsMin) {
      return { ...conditions(claim, [draining], nowMs), againAtMs: sinceMs + drainMsMin };
    }
  }
  const isDrained: ConditionChange = { type: drained, status: "True" };
  const attachments = blockingAttachments(snapshot.cluster, node, pods, nowMs);
  const isPastDeadline = deadline !== undefined && nowMs >= deadline;
  if (attachments.length > 0 && !isPastDeadline) {
    const names = attachments.slice(0, 5).map(({ metadata }) => metadata.name);
    const message = `${attachments.length} VolumeAttachments must go first: ${names.join(", ")}`;
    const awaiting = { type: volumesDetached, status: "Unknown", reason: "AwaitingVolumeDetachment", message } as const;
    const event = { type: "Normal", reason: "AwaitingVolumeDetachment" } as const;
    return together([
      conditions(claim, [isDrained, awaiting], nowMs),
      { commands: [], reasons: [{ about: refOf("Node", node), code: "node-draining", message, event }] },
      deadline === undefined ? nothing : { ...nothing, againAtMs: deadline },
    ]);
  }
  const volumes: ConditionChange =
    attachments.length > 0
      ? { type: volumesDetached, status: "False", reason: "TerminationGracePeriodElapsed" }
      : { type: volumesDetached, status: "True" };
  return together([
    conditions(claim, [isDrained, volumes], nowMs),
    instanceAndFinalizer(node, claim, instances, snapshot),
  ]);
}

function instanceAndFinalizer(
  node: Node,
  claim: NodeClaim | undefined,
  instances: Instances,
  snapshot: Snapshot,
): Decision {
  const end = claim === undefined ? "gone" : instanceEnd(claim, instances, snapshot);
  if (claim === undefined || end === "gone") {
    // The taint and the deletion of this same decision take the lock: a node not yet deleted is finalized next tick.
    return isDeleting(node) && isMarked(node, true) ? { commands: finalizeCommands(node), reasons: [] } : nothing;
  }
  return instanceDecision(claim, end, snapshot.nowMs);
}

function isInstanceGone(claim: NodeClaim | undefined, instances: Instances, snapshot: Snapshot): boolean {
  const providerID = claim?.status?.providerID;
  if (claim === undefined || providerID === undefined) return false;
  return presenceOf(claim, providerID, instances, snapshot) === "gone";
}

function conditions(claim: NodeClaim | undefined, changes: readonly ConditionChange[], nowMs: number): Decision {
  const patch = claim === undefined ? undefined : claimStatusPatch(claim, changes, {}, nowMs);
  return patch === undefined ? nothing : { commands: [patch], reasons: [] };
}

function isMarked(node: Node, isLeaving: boolean): boolean {
  const isExcluded = node.metadata.labels?.[excludeFromBalancersLabel] !== undefined;
  return hasTaint(node.spec.taints, disruptedTaint) && (isExcluded || !isLeaving);
}

/** No new pods; and once its pods leave, no new traffic. */
function taintCommands(node: Node, isLeaving: boolean): readonly Command[] {
  if (isMarked(node, isLeaving)) return [];
  return [
    {
      kind: "taint-node",
      target: lockedRefOf("Node", node),
      taints: withOnlyTaint(node.spec.taints ?? [], disruptedTaint),
      ...(isLeaving ? { labels: { [excludeFromBalancersLabel]: "karpenter" } } : {}),
    },
  ];
}

function deleteCommands(node: Node): readonly Command[] {
  return isDeleting(node) ? [] : [{ kind: "delete-object", target: refOf("Node", node) }];
}

function finalizeCommands(node: Node): readonly Command[] {
  const finalizers = (node.metadata.finalizers ?? []).filter((name) => name !== terminationFinalizer);
  return [{ kind: "patch-metadata", target: lockedRefOf("Node", node), finalizers }, ...deleteCommands(node)];
}
