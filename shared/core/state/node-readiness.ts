/**
 * Karpenter counterpart: pkg/utils/node, GetCondition, and the registered label of pkg/controllers/state/statenode.go. It
 * differs: a node counts as released only when its unregistered taint is gone too.
 */
import type { Node } from "#api/core-v1/node.ts";
import { registeredLabel, unregisteredTaintKey } from "#api/karpenter-v1/labels.ts";
import { ready } from "../condition.ts";
import { hasTaintKey } from "./node-taints.ts";

/** The kubelet reports and says that it is well. */
export function isReady(node: Node): boolean {
  return node.status?.conditions?.some(({ type, status }) => type === ready && status === "True") ?? false;
}

/** The node is registered: it has what its claim gives, and ordinary pods may come. */
export function isReleased(node: Node): boolean {
  return node.metadata.labels?.[registeredLabel] === "true" && !hasTaintKey(node.spec.taints, unregisteredTaintKey);
}
