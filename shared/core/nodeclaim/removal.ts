/**
 * Karpenter counterpart: none; its guide has people delete NodePools, NodeClaims and node classes before the chart. Here
 * the claims go and the loop drains their nodes as always; pools and classes stay as their owners wrote them.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import { terminationFinalizer, terminationTimestampAnnotation } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { formatTime } from "#api/time.ts";
import type { Command } from "../command.ts";
import { deadlineMs } from "../node/termination-deadline.ts";
import { objectName, refOf } from "../object-ref.ts";
import { blockingBudgets, type DisruptionBudgets, disruptionBudgets } from "../pod/pod-disruption.ts";
import { doNotDisrupt, isWaitingEviction } from "../pod/pod-predicates.ts";
import type { ClusterView } from "../snapshot.ts";
import { nodesByProviderId, nodesOf, podsByNode } from "../state/node-index.ts";
import { removalPatches } from "../state/removal.ts";
import { isDeleting, isManagedClaim, isManagedNode, type NodeClassKind } from "./managed.ts";

/** `drain`: as a deletion of the claims by hand. `force`: pods have no longer than their grace, whatever budgets say. */
export type RemovalManner = "drain" | "force";

/** What is to be written now; a repetition writes what is missing, claims that were made meanwhile included. */
export function removalCommands(
  cluster: ClusterView,
  nodeClass: NodeClassKind,
  manner: RemovalManner,
  nowMs: number,
): readonly Command[] {
  const claims = cluster.nodeClaims.filter((claim) => isManagedClaim(claim, nodeClass));
  return [
    ...removalPatches(cluster.state, nowMs),
    ...claims.flatMap((claim): readonly Command[] => [
      ...(manner === "force" ? hurried(claim, nowMs) : []),
      ...(isDeleting(claim) ? [] : [{ kind: "delete-object" as const, target: refOf("NodeClaim", claim) }]),
    ]),
  ];
}

function hurried(claim: NodeClaim, nowMs: number): readonly Command[] {
  const untilMs = deadlineMs(claim);
  if (untilMs !== undefined && untilMs <= nowMs) return [];
  const annotations = { [terminationTimestampAnnotation]: formatTime(nowMs) };
  return [{ kind: "patch-metadata", target: refOf("NodeClaim", claim), annotations }];
}

/** What is still there. */
export interface RemovalLeft {
  readonly claims: number;
  readonly nodes: number;
  readonly nodeClasses: number;
  /** What holds nodes up, a line each, in the order of the pods' names. */
  readonly blocking: readonly string[];
}

/** `classFinalizer`: the provider's own on its node classes. */
export function removalLeft(
  cluster: ClusterView,
  nodeClass: NodeClassKind,
  classFinalizer: string,
  nowMs: number,
): RemovalLeft {
  const claims = cluster.nodeClaims.filter((claim) => isManagedClaim(claim, nodeClass));
  const nodes = cluster.nodes.filter(
    (node) => isManagedNode(node, nodeClass) && (node.metadata.finalizers ?? []).includes(terminationFinalizer),
  );
  const classes = cluster.nodeClasses.filter(({ metadata }) => (metadata.finalizers ?? []).includes(classFinalizer));
  const byProviderId = nodesByProviderId(cluster.nodes);
  const names = new Set(claims.flatMap((claim) => nodesOf(claim, byProviderId)).map(({ metadata }) => metadata.name));
  const byNode = podsByNode(cluster.pods);
  const pods = [...names].sort().flatMap((name) => byNode.get(name) ?? []);
  const budgets = disruptionBudgets(cluster.podDisruptionBudgets);
  return {
    claims: claims.length,
    nodes: nodes.length,
    nodeClasses: classes.length,
    blocking: pods.flatMap((pod) => heldBy(pod, budgets, nowMs)).sort(),
  };
}

export function isNothingLeft({ claims, nodes, nodeClasses }: RemovalLeft): boolean {
  return claims === 0 && nodes === 0 && nodeClasses === 0;
}

function heldBy(pod: Pod, budgets: DisruptionBudgets, nowMs: number): readonly string[] {
  if (!isWaitingEviction(pod, nowMs)) return [];
  const name = objectName(pod.metadata);
  const where = `pod ${name} on ${pod.spec.nodeName}`;
  if (doNotDisrupt(pod, nowMs).kind === "active") return [`${where} asks not to be disrupted`];
  const blocking = blockingBudgets(pod, budgets, "zero-disruptions", nowMs).map(({ metadata }) => metadata.name);
  return blocking.length === 0 ? [] : [`${where}: PodDisruptionBudget ${blocking.join(", ")} allows no eviction`];
}
