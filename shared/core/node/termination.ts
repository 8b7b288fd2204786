/**
 * Karpenter counterpart: pkg/controllers/node/termination/controller.go and the first steps of
 * pkg/controllers/nodeclaim/lifecycle/termination.go. It differs: one stage goes through all objects on their way out.
 * The claims' finalizers are the stage after (nodeclaim/finalization.ts), when this one's answers are in.
 */
import type { Node } from "#api/core-v1/node.ts";
import { terminationFinalizer } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { formatTime } from "#api/time.ts";
import type { CloudProvider } from "../cloud-provider.ts";
import type { Command } from "../command.ts";
import { isTrue } from "../condition.ts";
import { type Decision, nothing, together } from "../decision.ts";
import { deleteClaim } from "../nodeclaim/claim-deletion.ts";
import { registered } from "../nodeclaim/conditions.ts";
import { type Instances, indexInstances } from "../nodeclaim/instance-presence.ts";
import { instanceDecision, instanceEnd } from "../nodeclaim/instance-termination.ts";
import { isDeleting, isManagedClaim, isManagedNode, type NodeClassKind } from "../nodeclaim/managed.ts";
import { isUnreadable, unreadablePods } from "../object-problem.ts";
import { refOf } from "../object-ref.ts";
import type { Reason } from "../reason.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Stage } from "../stage.ts";
import { type NodesByProviderId, nodesByProviderId, nodesOf, podsByNode } from "../state/node-index.ts";
import { type LeavingNode, nodeTermination } from "./node-termination.ts";
import { deadlineMs, deadlinePatch } from "./termination-deadline.ts";

export function termination<View>(provider: Pick<CloudProvider<unknown, View>, "nodeClass">): Stage<View> {
  return {
    name: "termination",
    decide: (snapshot) => {
      const instances = indexInstances(snapshot);
      const { leaving, claimsToDelete, bare } = leavingObjects(snapshot, provider.nodeClass);
      return together([
        ...claimsToDelete.map((claim) => deleteClaim(claim, "node_deleted", "Its Node is being deleted")),
        ...leaving.map((node) => nodeTermination(node, instances, snapshot)),
        ...bare.map((claim) => bareTermination(claim, instances, snapshot)),
        ...leaving.map(deadlines),
      ]);
    },
  };
}

interface LeavingObjects {
  readonly leaving: readonly LeavingNode[];
  /** Claims whose Node somebody deletes. */
  readonly claimsToDelete: readonly NodeClaim[];
  /** Deleted claims without a Node of theirs. */
  readonly bare: readonly NodeClaim[];
}

function leavingObjects(snapshot: Snapshot, nodeClass: NodeClassKind): LeavingObjects {
  const { cluster } = snapshot;
  const pods = podsByNode(cluster.pods);
  const { onNode } = unreadablePods(cluster);
  const byProviderId = nodesByProviderId(cluster.nodes);
  const claims = cluster.nodeClaims.filter((claim) => isManagedClaim(claim, nodeClass));
  const going = claims.filter(isDeleting).map((claim) => ({ claim, nodes: nodesToEnd(claim, byProviderId) }));
  const owners = new Map(claims.map((claim) => [claim.status?.providerID, claim]));
  const held = cluster.nodes
    .filter((node) => isManagedNode(node, nodeClass) && isHeld(node))
    .map((node) => ({
      node,
      owner: node.spec.providerID === undefined ? undefined : owners.get(node.spec.providerID),
    }));
  const leaving = [
    ...going.flatMap(({ claim, nodes }) => nodes.map((node) => ({ node, claim }))),
    ...held.filter(({ owner }) => owner === undefined).map(({ node }) => ({ node, claim: undefined })),
  ];
  return {
    leaving: leaving.map(({ node, claim }) => ({
      node,
      claim,
      pods: pods.get(node.metadata.name) ?? [],
      unreadable: onNode.get(node.metadata.name) ?? [],
    })),
    claimsToDelete: held.flatMap(({ owner }) => (owner === undefined || isDeleting(owner) ? [] : [owner])),
    bare: going.filter(({ nodes }) => nodes.length === 0).map(({ claim }) => claim),
  };
}

/** A claim that never registered leaves its Node to the cloud controller, unless our finalizer holds that up. */
function nodesToEnd(claim: NodeClaim, nodes: NodesByProviderId): readonly Node[] {
  return nodesOf(claim, nodes).filter((node) => isTrue(claim, registered) || isHeld(node));
}

/** Being deleted, and kept by our finalizer. */
function isHeld(node: Node): boolean {
  return isDeleting(node) && (node.metadata.finalizers ?? []).includes(terminationFinalizer);
}

/** Without a Node there is nothing to drain; with one that cannot be read, nobody knows whether there is. */
function bareTermination(claim: NodeClaim, instances: Instances, snapshot: Snapshot): Decision {
  const { cluster, nowMs } = snapshot;
  const nodeName = claim.status?.nodeName;
  const deadline = deadlineMs(claim);
  if (
    nodeName !== undefined &&
    isUnreadable(cluster, "Node", nodeName) &&
    !(deadline !== undefined && nowMs >= deadline)
  ) {
    const message = `Its Node ${nodeName} cannot be read and so not be drained: the instance stays`;
    const reason = { about: refOf("NodeClaim", claim), code: "claim-waiting", message } as const;
    return { commands: [], reasons: [reason], ...(deadline === undefined ? {} : { againAtMs: deadline }) };
  }
  const end = instanceEnd(claim, instances, snapshot);
  return end === "gone" ? nothing : instanceDecision(claim, end, nowMs);
}

/** The deadline is written after the status, which is locked. */
function deadlines({ claim, node }: LeavingNode): Decision {
  const atMs = claim === undefined ? undefined : deadlineMs(claim);
  if (claim === undefined || atMs === undefined) return nothing;
  const patch = deadlinePatch(claim);
  const commands: readonly Command[] = patch === undefined ? [] : [patch];
  const message = `All pods will be deleted by ${formatTime(atMs)}`;
  const event = { type: "Warning", reason: "TerminationGracePeriodExpiring" } as const;
  const reasons = [refOf("Node", node), refOf("NodeClaim", claim)].map(
    (about): Reason => ({ about, code: "node-draining", message, event }),
  );
  return { commands, reasons };
}
