/**
 * Karpenter counterpart: pkg/controllers/nodeclaim/lifecycle/registration.go, the guards of its Reconcile. It differs: a
 * Node that is being deleted does not join.
 */
import type { Node } from "#api/core-v1/node.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { isTrue } from "../condition.ts";
import { launched, registered } from "../nodeclaim/conditions.ts";
import { isDeleting, isManagedClaim, type NodeClassKind } from "../nodeclaim/managed.ts";
import type { ClusterView } from "../snapshot.ts";
import { nodesByProviderId, nodesOf } from "../state/node-index.ts";

export interface Joining {
  readonly claim: NodeClaim;
  readonly node: Node;
}

/** The launched claims that are not registered yet and whose one Node has appeared. */
export function joiningNodes(cluster: ClusterView, nodeClass: NodeClassKind): readonly Joining[] {
  const nodes = nodesByProviderId(cluster.nodes);
  return cluster.nodeClaims.flatMap((claim) => {
    const isWaiting =
      isManagedClaim(claim, nodeClass) && !isDeleting(claim) && isTrue(claim, launched) && !isTrue(claim, registered);
    const [node, ...others] = isWaiting ? nodesOf(claim, nodes) : [];
    return node === undefined || others.length > 0 || isDeleting(node) ? [] : [{ claim, node }];
  });
}
