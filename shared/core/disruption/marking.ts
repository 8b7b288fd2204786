/**
 * Karpenter counterpart: pkg/controllers/disruption/queue.go, markDisrupted, and the clean-up at the start of its loop.
 * It differs: the mark is the memory. A node is deleted only after its mark was written in this tick, and a mark that
 * nobody acted on (a crash in between) is taken off by the next tick.
 */
import type { Node } from "#api/core-v1/node.ts";
import { disruptedTaintKey } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { DisruptionReason } from "#api/karpenter-v1/nodepool.ts";
import type { Command } from "../command.ts";
import { conditionOf } from "../condition.ts";
import { claimStatusPatch, disruptionReason } from "../nodeclaim/conditions.ts";
import { isDeleting, isManagedClaim, type NodeClassKind } from "../nodeclaim/managed.ts";
import { lockedRefOf } from "../object-ref.ts";
import { disruptedTaint } from "../scheduling/taints.ts";
import type { ClusterView } from "../snapshot.ts";
import { nodesByProviderId, nodesOf } from "../state/node-index.ts";
import { hasTaintKey, withOnlyTaint, withoutTaintKey } from "../state/node-taints.ts";

/** Keeps pods away from the node and says on the claim why it goes. */
export function markCommands(
  claim: NodeClaim,
  node: Node,
  reason: DisruptionReason,
  nowMs: number,
): readonly Command[] {
  const taints = withOnlyTaint(node.spec.taints ?? [], disruptedTaint);
  const status = claimStatusPatch(claim, [{ type: disruptionReason, status: "True", reason }], {}, nowMs);
  return [{ kind: "taint-node", target: lockedRefOf("Node", node), taints }, ...(status === undefined ? [] : [status])];
}

/** Takes the mark off nodes that are not on their way out; `marked` are the claims that this tick marks itself. */
export function unmarkCommands(
  cluster: ClusterView,
  nodeClass: NodeClassKind,
  marked: ReadonlySet<string>,
  nowMs: number,
): readonly Command[] {
  const nodes = nodesByProviderId(cluster.nodes);
  return cluster.nodeClaims
    .filter((claim) => isManagedClaim(claim, nodeClass) && !isDeleting(claim) && !marked.has(claim.metadata.uid ?? ""))
    .flatMap((claim) => {
      const tainted = nodesOf(claim, nodes).filter(
        (node) => !isDeleting(node) && hasTaintKey(node.spec.taints, disruptedTaintKey),
      );
      const isMarked = conditionOf(claim, disruptionReason) !== undefined;
      const status = isMarked ? claimStatusPatch(claim, [{ type: disruptionReason }], {}, nowMs) : undefined;
      return [...tainted.map(untaint), ...(status === undefined ? [] : [status])];
    });
}

function untaint(node: Node): Command {
  const taints = withoutTaintKey(node.spec.taints ?? [], disruptedTaintKey);
  return { kind: "taint-node", target: lockedRefOf("Node", node), taints };
}
