/**
 * Which NodePools may get claims now, and why the others may not. Karpenter counterpart:
 * pkg/controllers/provisioning/provisioner.go, NewScheduler, and pkg/utils/nodepool. It differs: a pool that is left out
 * is said to be, with the reason; pools with `replicas` and pools of another provider's class are named as not supported.
 */
import { nodePoolLabel } from "#api/karpenter-v1/labels.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import type { CloudProvider } from "../cloud-provider.ts";
import { conditionOf, isTrue } from "../condition.ts";
import type { InstanceType, Resources } from "../instance-type.ts";
import { isDeleting, isManagedPool, type NodeClassKind } from "../nodeclaim/managed.ts";
import { restInWords, restOf } from "../nodepool/off-hours.ts";
import { refOf } from "../object-ref.ts";
import { notSupportedEvent, type Reason, type ReasonCode } from "../reason.ts";
import { baseRequirements, type PoolInput } from "../scheduling/claims/candidate-pool.ts";
import { normalizedKey, overlaps, requirementOf } from "../scheduling/requirements/requirement.ts";
import {
  firstConflict,
  impossibleKey,
  type Requirements,
  requirementsOf,
} from "../scheduling/requirements/requirements.ts";
import { noResources } from "../scheduling/resources/resources.ts";
import type { Snapshot } from "../snapshot.ts";
import { joinPauseUntilMs, restingInWords } from "../state/join-back-off.ts";
import { joinTriedMessage } from "./join-budget.ts";

export interface ConsideredPools {
  readonly pools: readonly PoolInput[];
  readonly reasons: readonly Reason[];
}

export type InstanceTypeSource<View> = Pick<CloudProvider<unknown, View>, "nodeClass" | "instanceTypes">;

export function consideredPools<View>(
  snapshot: Snapshot<View>,
  provider: InstanceTypeSource<View>,
  usage: ReadonlyMap<string, Resources>,
): ConsideredPools {
  const pools: PoolInput[] = [];
  const reasons: Reason[] = [];
  for (const nodePool of snapshot.cluster.nodePools) {
    const obstacle =
      unsupported(nodePool, provider.nodeClass) ??
      resting(snapshot, nodePool) ??
      notReady(nodePool) ??
      notJoining(snapshot, nodePool);
    if (obstacle !== undefined) {
      reasons.push(obstacle);
      continue;
    }
    const answer = provider.instanceTypes(snapshot, nodePool);
    if (answer.kind === "unknown") {
      reasons.push(about(nodePool, "pool-not-ready", `its instance types are not known: ${answer.message}`));
      continue;
    }
    if (!offersSomething(nodePool, answer.instanceTypes, provider.nodeClass.label)) {
      const message = `none of ${answer.instanceTypes.length} instance types meets its requirements; no nodes are made`;
      reasons.push(withEvent(about(nodePool, "pool-not-ready", message), "NoCompatibleInstanceTypes"));
      continue;
    }
    pools.push({
      nodePool,
      instanceTypes: answer.instanceTypes,
      nodeClassLabel: provider.nodeClass.label,
      usage: usage.get(nodePool.metadata.name) ?? noResources,
    });
  }
  return { pools, reasons };
}

/** NodePools that are left alone whether pods wait or not, one reason each. */
export function unsupportedPools(nodePools: readonly NodePool[], nodeClass: NodeClassKind): readonly Reason[] {
  return nodePools.flatMap((nodePool) => unsupported(nodePool, nodeClass) ?? []);
}

function unsupported(nodePool: NodePool, nodeClass: NodeClassKind): Reason | undefined {
  if (!isManagedPool(nodePool, nodeClass)) {
    const { group, kind } = nodePool.spec.template.spec.nodeClassRef;
    const message = `its node class is a ${kind} of ${group}; that is not supported yet: nodes are made for ${nodeClass.kind} of ${nodeClass.group} only`;
    return { ...about(nodePool, "not-supported", message), event: notSupportedEvent };
  }
  if (nodePool.spec.replicas === undefined) return undefined;
  const message = "a fixed number of nodes (spec.replicas) is not supported yet; the NodePool is left alone";
  return { ...about(nodePool, "not-supported", message), event: notSupportedEvent };
}

/** Its condition says it, and the pods that wait are told; so no event. */
function resting(snapshot: Snapshot, nodePool: NodePool): Reason | undefined {
  const rest = restOf(snapshot, nodePool.metadata.name);
  if (rest === undefined) return undefined;
  return about(nodePool, "pool-resting", `it ${restInWords(rest, snapshot.nowMs)}; no nodes are made`);
}

function notReady(nodePool: NodePool): Reason | undefined {
  if (isDeleting(nodePool)) return about(nodePool, "pool-not-ready", "it is being deleted");
  if (isTrue(nodePool, "Ready")) return undefined;
  const ready = conditionOf(nodePool, "Ready");
  const why = ready === undefined ? "its condition Ready is not set yet" : `Ready is ${ready.status}: ${ready.message}`;
  return about(nodePool, "pool-not-ready", why);
}

/** While the pool rests, and while the claim that tries after it has no node yet, pods go to other pools. */
function notJoining({ cluster, nowMs }: Snapshot, nodePool: NodePool): Reason | undefined {
  const untilMs = joinPauseUntilMs(cluster.state, nodePool);
  if (untilMs === undefined) return undefined;
  const isTried = cluster.nodeClaims.some((claim) => {
    return (
      claim.metadata.labels?.[nodePoolLabel] === nodePool.metadata.name &&
      !isDeleting(claim) &&
      !isTrue(claim, "Registered")
    );
  });
  if (untilMs <= nowMs && !isTried) return undefined;
  const message = untilMs <= nowMs ? joinTriedMessage : `no nodes are made: ${restingInWords(untilMs)}`;
  return withEvent(about(nodePool, "pool-not-ready", message), "NodesDoNotJoin");
}

/** Some type meets the pool's own requirements and labels, whether it can be had now or not. */
function offersSomething(nodePool: NodePool, instanceTypes: readonly InstanceType[], nodeClassLabel: string): boolean {
  const base = baseRequirements(nodePool, nodeClassLabel);
  if (impossibleKey(base) !== undefined) return false;
  return instanceTypes.some((type) => meets(type, base));
}

/** Most types say each label once: then no item needs to be looked at together with another. */
function meets({ requirements }: InstanceType, base: Requirements): boolean {
  for (const spec of requirements) {
    const asked = base.get(normalizedKey(spec.key));
    if (asked !== undefined && !overlaps(requirementOf(spec), asked)) return false;
  }
  return firstConflict(requirementsOf(requirements), base) === undefined;
}

function about(nodePool: NodePool, code: ReasonCode, message: string): Reason {
  return { about: refOf("NodePool", nodePool), code, message };
}

function withEvent(reason: Reason, event: string): Reason {
  return { ...reason, event: { type: "Warning", reason: event } };
}
