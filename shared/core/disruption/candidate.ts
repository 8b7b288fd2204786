/**
 * Karpenter counterpart: pkg/controllers/disruption/types.go, NewCandidate, and the first half of helpers.go,
 * GetCandidates. It differs: a node that may not be disrupted comes back with the reason, and who is in flight is read
 * from the objects (deletion, taint), not from a queue in memory. Pods that are alone (pod/alone.ts) weigh nothing, and
 * their budgets hold no node.
 */
import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import {
  capacityTypeLabel,
  doNotDisruptAnnotation,
  instanceTypeLabel,
  nodePoolLabel,
  zoneLabel,
} from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import type { CloudProvider } from "../cloud-provider.ts";
import { conditionOf, isTrue } from "../condition.ts";
import type { InstanceType } from "../instance-type.ts";
import { disruptionReason, initialized, instanceTerminating } from "../nodeclaim/conditions.ts";
import { isDeleting, isManagedClaim, isManagedPool } from "../nodeclaim/managed.ts";
import { claimsBeingReplaced } from "../nodeclaim/replacement-record.ts";
import { type UnreadablePods, unreadablePods } from "../object-problem.ts";
import { type ObjectRef, objectName } from "../object-ref.ts";
import { byKey, inTurn } from "../order.ts";
import { alonePods } from "../pod/alone.ts";
import { blockingBudgets, type DisruptionBudgets, disruptionBudgets } from "../pod/pod-disruption.ts";
import { isDisruptable, isMirror } from "../pod/pod-predicates.ts";
import type { Snapshot } from "../snapshot.ts";
import { nodesByProviderId, nodesOf, podsByNode } from "../state/node-index.ts";
import { reschedulingCost } from "./eviction-cost.ts";

/** Graceful disruption respects what pods ask for; eventual disruption may overrule it by a terminationGracePeriod. */
export type DisruptionClass = "graceful" | "eventual";

export interface Candidate {
  readonly claim: NodeClaim;
  readonly node: Node;
  readonly nodePool: NodePool;
  /** Without those that are alone. */
  readonly pods: readonly Pod[];
  /** Undefined: its pool knows no such type. */
  readonly instanceType: InstanceType | undefined;
  /** 0 when the offering is unknown. */
  readonly pricePerHour: number;
  /** ≥ 1, see eviction-cost.ts. */
  readonly reschedulingCost: number;
}

export interface Blocked {
  readonly claim: NodeClaim;
  readonly node: Node;
  readonly message: string;
}

export interface Candidates {
  /** Most saved per disruption first. */
  readonly candidates: readonly Candidate[];
  readonly blocked: readonly Blocked[];
}

export type PriceKnowledge<View> = Pick<CloudProvider<unknown, View>, "nodeClass" | "instanceTypes">;

interface Context {
  readonly nowMs: number;
  readonly disruptionClass: DisruptionClass;
  readonly budgets: DisruptionBudgets;
  readonly unreadable: UnreadablePods;
  /** PodDisruptionBudgets that cannot be read: nobody knows which pods of their namespace they protect. */
  readonly unreadableBudgets: readonly ObjectRef[];
  readonly isAlone: (pod: Pod) => boolean;
}

/** Nodes that may be disrupted now, and those that pods or users hold. */
export function candidates<View>(
  snapshot: Snapshot<View>,
  provider: PriceKnowledge<View>,
  disruptionClass: DisruptionClass,
): Candidates {
  const { cluster, nowMs } = snapshot;
  const context: Context = {
    nowMs,
    disruptionClass,
    budgets: disruptionBudgets(cluster.podDisruptionBudgets),
    unreadable: unreadablePods(cluster),
    unreadableBudgets: cluster.problems.map(({ ref }) => ref).filter(({ kind }) => kind === "PodDisruptionBudget"),
    isAlone: alonePods(snapshot),
  };
  const nodes = nodesByProviderId(cluster.nodes);
  const podsOn = podsByNode(cluster.pods);
  const pools = pricedPools(snapshot, provider);
  const replaced = claimsBeingReplaced(cluster.nodeClaims);
  const found: Candidate[] = [];
  const blocked: Blocked[] = [];
  for (const claim of cluster.nodeClaims) {
    const [node, ...others] = nodesOf(claim, nodes);
    const pool = pools.get(claim.metadata.labels?.[nodePoolLabel] ?? "");
    if (node === undefined || others.length > 0 || pool === undefined) continue;
    if (!isManagedClaim(claim, provider.nodeClass) || !isAtRest(claim, node)) continue;
    if (replaced.has(claim.metadata.name)) continue;
    const present = podsOn.get(node.metadata.name) ?? [];
    const message = objection(claim, node, present, context);
    if (message !== undefined) {
      blocked.push({ claim, node, message });
      continue;
    }
    const instanceType = pool.types.get(claim.metadata.labels?.[instanceTypeLabel] ?? "");
    const pricePerHour = priceOf(claim, instanceType);
    const pods = present.filter((pod) => !context.isAlone(pod));
    const cost = reschedulingCost(pods);
    found.push({ claim, node, nodePool: pool.nodePool, pods, instanceType, pricePerHour, reschedulingCost: cost });
  }
  return { candidates: found.sort(bySavings), blocked };
}

/** Savings ratio, falling; then by name, so that the order is total. */
const bySavings = inTurn<Candidate>(
  byKey(({ pricePerHour, reschedulingCost: cost }) => -pricePerHour / cost),
  byKey(({ claim }) => claim.metadata.name),
);

interface PricedPool {
  readonly nodePool: NodePool;
  readonly types: ReadonlyMap<string, InstanceType>;
}

/** The pools whose instance types can be named; nodes of the others are left alone. */
function pricedPools<View>(snapshot: Snapshot<View>, provider: PriceKnowledge<View>): ReadonlyMap<string, PricedPool> {
  const pools = new Map<string, PricedPool>();
  for (const nodePool of snapshot.cluster.nodePools) {
    if (!isManagedPool(nodePool, provider.nodeClass)) continue;
    const answer = provider.instanceTypes(snapshot, nodePool);
    if (answer.kind === "unknown" || answer.instanceTypes.length === 0) continue;
    const types = new Map(answer.instanceTypes.map((type) => [type.name, type]));
    pools.set(nodePool.metadata.name, { nodePool, types });
  }
  return pools;
}

/** Initialized, and nothing is happening to it: no mark that an earlier tick left is still to be taken off. */
function isAtRest(claim: NodeClaim, node: Node): boolean {
  const isGoing = isDeleting(claim) || isDeleting(node) || isTrue(claim, instanceTerminating);
  return isTrue(claim, initialized) && !isGoing && conditionOf(claim, disruptionReason) === undefined;
}

/** Why the node may not be disrupted; undefined when it may. */
function objection(claim: NodeClaim, node: Node, pods: readonly Pod[], context: Context): string | undefined {
  if (node.metadata.annotations?.[doNotDisruptAnnotation] === "true") {
    return `The node carries the annotation ${doNotDisruptAnnotation}=true`;
  }
  const unknown = unreadableObjection(node, pods, context);
  if (unknown !== undefined) return unknown;
  if (context.disruptionClass === "eventual" && claim.spec.terminationGracePeriod !== undefined) return undefined;
  const protectedPod = pods.find((pod) => !isDisruptable(pod, context.nowMs));
  if (protectedPod !== undefined) {
    return `Pod ${objectName(protectedPod.metadata)} carries the annotation ${doNotDisruptAnnotation}`;
  }
  for (const pod of pods) {
    if (isMirror(pod) || context.isAlone(pod)) continue;
    const [first, second] = blockingBudgets(pod, context.budgets, "zero-disruptions", context.nowMs);
    if (first === undefined) continue;
    const name = objectName(first.metadata);
    return second === undefined
      ? `PodDisruptionBudget ${name} allows no eviction of pod ${objectName(pod.metadata)}`
      : `Pod ${objectName(pod.metadata)} is selected by more than one PodDisruptionBudget: ${name}, ${objectName(second.metadata)}`;
  }
  return undefined;
}

/** What cannot be read may be anything, also a pod that must not be moved. */
function unreadableObjection(node: Node, pods: readonly Pod[], context: Context): string | undefined {
  const { onNode, somewhere } = context.unreadable;
  const [here] = onNode.get(node.metadata.name) ?? [];
  if (here !== undefined) return `Pod ${objectName(here)} on it cannot be read`;
  const [anywhere] = somewhere;
  if (anywhere !== undefined) return `Pod ${objectName(anywhere)} cannot be read, nor where it runs`;
  for (const budget of context.unreadableBudgets) {
    const pod = pods.find(({ metadata }) => metadata.namespace === budget.namespace);
    if (pod === undefined) continue;
    return `PodDisruptionBudget ${objectName(budget)} cannot be read, and may protect pod ${objectName(pod.metadata)}`;
  }
  return undefined;
}

/** The offering's price, whether it can be had now or not. */
export function priceOf(claim: NodeClaim, instanceType: InstanceType | undefined): number {
  const labels = claim.metadata.labels ?? {};
  const offering = instanceType?.offerings.find(
    ({ zone, capacityType }) => zone === labels[zoneLabel] && capacityType === labels[capacityTypeLabel],
  );
  return offering === undefined || !Number.isFinite(offering.pricePerHour) ? 0 : offering.pricePerHour;
}
