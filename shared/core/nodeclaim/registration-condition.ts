/**
 * Karpenter counterpart: pkg/controllers/nodeclaim/lifecycle/registration.go, the condition. It differs: several nodes
 * under one provider ID are False as there, but the claim recovers when one is left.
 */
import type { Node } from "#api/core-v1/node.ts";
import type { ConditionChange } from "../condition.ts";
import { isReleased } from "../state/node-readiness.ts";
import { registered } from "./conditions.ts";

/** The condition Registered of a launched claim, given the Nodes under its provider ID. */
export function registrationOf(providerID: string, nodes: readonly Node[]): ConditionChange {
  const [node, ...others] = nodes;
  if (node === undefined) {
    return unknown("NodeNotFound", "No Node with the instance's provider ID has joined yet");
  }
  if (others.length > 0) {
    const names = nodes.map(({ metadata }) => metadata.name).join(", ");
    return {
      type: registered,
      status: "False",
      reason: "MultipleNodesFound",
      message: `${nodes.length} Nodes have the provider ID ${providerID}: ${names}`,
    };
  }
  if (!isReleased(node))
    return unknown("NodeNotSynced", `Node ${node.metadata.name} has not taken over its claim's labels and taints yet`);
  return { type: registered, status: "True" };
}

function unknown(reason: string, message: string): ConditionChange {
  return { type: registered, status: "Unknown", reason, message };
}
