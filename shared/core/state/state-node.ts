/**
 * The cluster's nodes, and claims that are to become nodes. Karpenter counterpart: pkg/controllers/state/cluster.go and
 * statenode.go, a model kept in memory. It differs: it is computed from the snapshot each time; nodes that are not yet
 * initialised come in the order in which their claims were made, so that pods which are expected there find the same
 * places again.
 */
import type { Node } from "#api/core-v1/node.ts";
import type { Pod, Taint } from "#api/core-v1/pod.ts";
import { initializedLabel, registeredLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { decisionAnnotation } from "#api/outrigger-names.ts";
import { isTrue } from "../condition.ts";
import type { Resources } from "../instance-type.ts";
import * as conditions from "../nodeclaim/conditions.ts";
import { claimsBeingReplaced } from "../nodeclaim/replacement-record.ts";
import { unreadablePods } from "../object-problem.ts";
import { byText } from "../order.ts";
import { isTerminal } from "../pod/pod-predicates.ts";
import { isEphemeral, sameTaint, unschedulableTaint } from "../scheduling/requirements/taints.ts";
import { largest, resourcesOf } from "../scheduling/resources/resources.ts";
import type { ClusterView } from "../snapshot.ts";
import { nodesByProviderId, nodesOf, podsByNode } from "./node-index.ts";

/** A node with its claim, or one of the two. */
export interface StateNode {
  readonly name: string;
  readonly node: Node | undefined;
  readonly claim: NodeClaim | undefined;
  /** Bound and not terminal. */
  readonly pods: readonly Pod[];
  /** It is going away, or goes once its replacements are there: no capacity, and its pods are demand. */
  readonly deleting: boolean;
  readonly initialized: boolean;
  /** Pods on it cannot be read: nobody knows how much room they leave, so none is counted on. */
  readonly opaque: boolean;
}

/** Initialised ones by name, then the others by age, decision and place in it. */
export function stateNodes(cluster: ClusterView): readonly StateNode[] {
  const byProviderId = nodesByProviderId(cluster.nodes);
  const byName = new Map(cluster.nodes.map((node) => [node.metadata.name, node]));
  const podsOn = podsByNode(cluster.pods);
  const opaque = unreadablePods(cluster).onNode;
  const replaced = claimsBeingReplaced(cluster.nodeClaims);
  const claimed = new Set<Node>();
  const states = cluster.nodeClaims.map((claim) => {
    const node = nodesOf(claim, byProviderId)[0] ?? byName.get(claim.status?.nodeName ?? "");
    if (node !== undefined) claimed.add(node);
    const state = stateOf(node, claim, podsOn, opaque);
    return replaced.has(claim.metadata.name) ? { ...state, deleting: true } : state;
  });
  for (const node of cluster.nodes) if (!claimed.has(node)) states.push(stateOf(node, undefined, podsOn, opaque));
  return states.sort(byReadiness);
}

/** All of the node's resources, for limits: a claim's own figures stand in until the node reports them. */
export function capacityOf({ node, claim, initialized }: StateNode): Resources {
  const estimated = resourcesOf(claim?.status?.capacity, "down");
  if (node === undefined) return estimated;
  const reported = resourcesOf(node.status?.capacity, "down");
  return initialized ? reported : largest(reported, withoutReported(estimated, reported));
}

/** Of it, what pods may use. */
export function allocatableOf({ node, claim, initialized }: StateNode): Resources {
  const estimated = resourcesOf(claim?.status?.allocatable, "down");
  if (node === undefined) return estimated;
  const reported = resourcesOf(node.status?.allocatable, "down");
  return initialized ? reported : largest(reported, withoutReported(estimated, reported));
}

/** Taints of starting nodes that will go by themselves do not count; other people's nodes keep everything. */
export function countingTaints(state: StateNode): readonly Taint[] {
  const { node, claim, initialized } = state;
  if (node === undefined || !isRegistered(state)) return claim?.spec.taints ?? [];
  const taints =
    node.spec.unschedulable === true ? [unschedulableTaint, ...(node.spec.taints ?? [])] : (node.spec.taints ?? []);
  if (claim === undefined || initialized) return taints;
  const startup = claim.spec.startupTaints ?? [];
  return taints.filter((taint) => !isEphemeral(taint) && !startup.some((other) => sameTaint(other, taint)));
}

export function isRegistered({ node, claim }: StateNode): boolean {
  return (
    claim === undefined || isTrue(claim, conditions.registered) || node?.metadata.labels?.[registeredLabel] === "true"
  );
}

function stateOf(
  node: Node | undefined,
  claim: NodeClaim | undefined,
  podsOn: ReadonlyMap<string, readonly Pod[]>,
  opaqueNodes: ReadonlyMap<string, unknown>,
): StateNode {
  const nodeName = node?.metadata.name;
  const pods = nodeName === undefined ? [] : (podsOn.get(nodeName) ?? []).filter((pod) => !isTerminal(pod));
  const deleting =
    node?.metadata.deletionTimestamp !== undefined ||
    claim?.metadata.deletionTimestamp !== undefined ||
    (claim !== undefined && isTrue(claim, conditions.instanceTerminating));
  const initialized =
    node !== undefined &&
    (claim === undefined ||
      isTrue(claim, conditions.initialized) ||
      node.metadata.labels?.[initializedLabel] === "true");
  const opaque = nodeName !== undefined && opaqueNodes.has(nodeName);
  return { name: nodeName ?? claim?.metadata.name ?? "", node, claim, pods, deleting, initialized, opaque };
}

function byReadiness(a: StateNode, b: StateNode): number {
  if (a.initialized !== b.initialized) return a.initialized ? -1 : 1;
  if (!a.initialized) {
    const [first, second] = [originOf(a), originOf(b)];
    const order =
      byText(first.created, second.created) || byText(first.decision, second.decision) || first.index - second.index;
    if (order !== 0) return order;
  }
  return byText(a.name, b.name);
}

/** When and where a claim was decided; the annotation reads `<decision>/<index>`. */
function originOf({ claim }: StateNode): {
  readonly created: string;
  readonly decision: string;
  readonly index: number;
} {
  const match = /^(.*)\/(\d+)$/.exec(claim?.metadata.annotations?.[decisionAnnotation] ?? "");
  return {
    created: claim?.metadata.creationTimestamp ?? "",
    decision: match?.[1] ?? "",
    index: Number(match?.[2] ?? 0),
  };
}

/** The estimates of resources that the node does not report yet (devices come late). */
function withoutReported(estimated: Resources, reported: Resources): Resources {
  return Object.fromEntries(Object.entries(estimated).filter(([name]) => (reported[name] ?? 0) === 0));
}
