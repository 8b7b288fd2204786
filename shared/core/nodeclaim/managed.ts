/**
 * Karpenter counterpart: pkg/utils/nodeclaim and pkg/utils/node, the "is managed" predicates. No difference: an object
 * is ours when its nodeClassRef names the provider's group and kind; a Node when it carries the node class label.
 * Everything else (another provider's objects, or those of a managed Karpenter) is read as capacity and never written.
 */
import type { Node } from "#api/core-v1/node.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodeClassReference, NodePool } from "#api/karpenter-v1/nodepool.ts";

/** The provider's node class: the part of CloudProvider that says what is ours. */
export interface NodeClassKind {
  readonly group: string;
  readonly kind: string;
  readonly label: string;
}

function names(reference: NodeClassReference, nodeClass: NodeClassKind): boolean {
  return reference.group === nodeClass.group && reference.kind === nodeClass.kind;
}

export function isManagedClaim(claim: NodeClaim, nodeClass: NodeClassKind): boolean {
  return names(claim.spec.nodeClassRef, nodeClass);
}

export function isManagedPool(nodePool: NodePool, nodeClass: NodeClassKind): boolean {
  return names(nodePool.spec.template.spec.nodeClassRef, nodeClass);
}

export function isManagedNode(node: Node, nodeClass: NodeClassKind): boolean {
  return node.metadata.labels?.[nodeClass.label] !== undefined;
}

export function isDeleting(object: { readonly metadata: { readonly deletionTimestamp?: string } }): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}
