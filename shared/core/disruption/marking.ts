/**
 * Karpenter counterpart: pkg/controllers/disruption/queue.go, markDisrupted, and the clean-up at the start of its loop.
 * It differs: a mark is written again until it is there, and one that belongs to nothing (a crash, a replacement that
 * came to nothing) is taken off by the next tick.
 */
import type { Node } from "#api/core-v1/node.ts";
import { disruptedTaintKey } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { DisruptionReason } from "#api/karpenter-v1/nodepool.ts";
import type { Command } from "../command.ts";
import { conditionOf } from "../condition.ts";
import { claimStatusPatch, disruptionReason } from "../nodeclaim/conditions.ts";
import { isDeleting } from "../nodeclaim/managed.ts";
import { lockedRefOf } from "../object-ref.ts";
import { disruptedTaint } from "../scheduling/requirements/taints.ts";
import { hasTaintKey, withOnlyTaint, withoutTaintKey } from "../state/node-taints.ts";

const awaiting = "goes when ";

/** Keeps pods away from the node and says on the claim why it goes. `awaited`: names of the claims that come first. */
export function markCommands(
  claim: NodeClaim,
  node: Node,
  reason: DisruptionReason,
  nowMs: number,
  awaited: readonly string[] = [],
): readonly Command[] {
  const verb = awaited.length === 1 ? "is" : "are";
  const message = awaited.length === 0 ? "" : `${awaiting}${awaited.join(", ")} ${verb} ready`;
  const taints = withOnlyTaint(node.spec.taints ?? [], disruptedTaint);
  const status = claimStatusPatch(claim, [{ type: disruptionReason, status: "True", reason, message }], {}, nowMs);
  return [{ kind: "taint-node", target: lockedRefOf("Node", node), taints }, ...(status === undefined ? [] : [status])];
}

/** Whether the node is marked, as far as the two sides can carry the mark. */
export function isMarked(claim: NodeClaim, nodes: readonly Node[]): boolean {
  return (
    conditionOf(claim, disruptionReason)?.status === "True" &&
    nodes.every((node) => hasTaintKey(node.spec.taints, disruptedTaintKey))
  );
}

/** Whether the mark is one of a command that makes nodes first: one that makes none has nothing to say but its reason. */
export function isMarkedForReplacement(claim: NodeClaim): boolean {
  return conditionOf(claim, disruptionReason)?.message?.startsWith(awaiting) ?? false;
}

/** Takes the mark off; none for a claim that carries none. */
export function unmarkCommands(claim: NodeClaim, nodes: readonly Node[], nowMs: number): readonly Command[] {
  const tainted = nodes.filter((node) => !isDeleting(node) && hasTaintKey(node.spec.taints, disruptedTaintKey));
  const hasReason = conditionOf(claim, disruptionReason) !== undefined;
  const status = hasReason ? claimStatusPatch(claim, [{ type: disruptionReason }], {}, nowMs) : undefined;
  return [...tainted.map(untaint), ...(status === undefined ? [] : [status])];
}

function untaint(node: Node): Command {
  const taints = withoutTaintKey(node.spec.taints ?? [], disruptedTaintKey);
  return { kind: "taint-node", target: lockedRefOf("Node", node), taints };
}
