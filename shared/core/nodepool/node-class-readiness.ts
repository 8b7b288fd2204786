/**
 * Karpenter counterpart: pkg/controllers/nodepool/readiness. No difference.
 */
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { type ConditionChange, conditionOf, ready } from "../condition.ts";
import type { NodeClass } from "../snapshot.ts";
import { nodeClassReady } from "./conditions.ts";

/** The node class that the pool names. */
export function nodeClassOf(nodePool: NodePool, nodeClasses: readonly NodeClass[]): NodeClass | undefined {
  const { group, kind, name } = nodePool.spec.template.spec.nodeClassRef;
  return nodeClasses.find(
    (nodeClass) =>
      nodeClass.metadata.name === name && nodeClass.kind === kind && nodeClass.apiVersion.split("/")[0] === group,
  );
}

/** The condition NodeClassReady. */
export function nodeClassReadiness(nodePool: NodePool, nodeClass: NodeClass | undefined): ConditionChange {
  const { kind, name } = nodePool.spec.template.spec.nodeClassRef;
  if (nodeClass === undefined) return notReady("NodeClassNotFound", `There is no ${kind} ${name}`);
  if (nodeClass.metadata.deletionTimestamp !== undefined) {
    return notReady("NodeClassTerminating", `${kind} ${name} is being deleted`);
  }
  const condition = conditionOf(nodeClass, ready);
  if (condition === undefined || condition.status === "Unknown") {
    return notReady("NodeClassReadinessUnknown", `${kind} ${name} has not said yet whether it is ready`);
  }
  return condition.status === "True"
    ? { type: nodeClassReady, status: "True" }
    : notReady(condition.reason, condition.message);
}

function notReady(reason: string, message: string): ConditionChange {
  return { type: nodeClassReady, status: "False", reason, message };
}
