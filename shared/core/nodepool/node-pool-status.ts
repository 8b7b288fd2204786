/**
 * Karpenter counterpart: pkg/controllers/nodepool/{counter,readiness,validation,registrationhealth,hash}. It differs: five
 * controllers with a patch each are one stage with one patch of the status, written only when it changes; budgets that
 * cannot be read are said here, whether a node waits for them or not.
 */
import type { Json } from "#api/core-v1/meta.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { runtimeProblems } from "#api/karpenter-v1/runtime-validation.ts";
import type { CloudProvider } from "../cloud-provider.ts";
import type { Command } from "../command.ts";
import { type ConditionChange, conditionOf, statusPatch } from "../condition.ts";
import { type Decision, together } from "../decision.ts";
import { budgetProblems } from "../disruption/budget.ts";
import { isDeleting, isManagedClaim, isManagedPool } from "../nodeclaim/managed.ts";
import { refOf } from "../object-ref.ts";
import type { Reason } from "../reason.ts";
import type { NodeClass, Snapshot } from "../snapshot.ts";
import type { Stage } from "../stage.ts";
import { joinPatches, joinPauseUntilMs, restingInWords } from "../state/join-back-off.ts";
import {
  forgetOutcomes,
  hasOutcomes,
  type RegistrationHealth,
  registrationHealth,
} from "../state/registration-outcomes.ts";
import {
  disruptionBudgetsReadable,
  nodePoolConditions,
  nodeRegistrationHealthy,
  offHours,
  validationSucceeded,
} from "./conditions.ts";
import { emptyCount, type PoolCount, poolCounts } from "./counting.ts";
import { hashPatches } from "./hash-annotations.ts";
import { forgottenRefusal } from "./launch-refusals.ts";
import { nodeClassOf, nodeClassReadiness } from "./node-class-readiness.ts";
import { restEndInWords, restOf } from "./off-hours.ts";

type Provider<View> = Pick<CloudProvider<unknown, View>, "nodeClass" | "wellKnownLabels">;

export function nodePoolStatus<View>(provider: Provider<View>): Stage<View> {
  return {
    name: "node-pool-status",
    decide: (snapshot) => {
      const counts = poolCounts(snapshot.cluster);
      const claims = snapshot.cluster.nodeClaims.filter((claim) => isManagedClaim(claim, provider.nodeClass));
      const { nowMs } = snapshot;
      const { nodePools, state } = snapshot.cluster;
      const pools = nodePools.filter(
        (nodePool) => isManagedPool(nodePool, provider.nodeClass) && !isDeleting(nodePool),
      );
      const decided = pools.map((nodePool) =>
        statusOf(snapshot, provider, nodePool, counts.get(nodePool.metadata.name) ?? emptyCount, claims),
      );
      const renewed = decided.flatMap(({ renewed: pool }) => pool ?? []);
      return together([
        { commands: [...forgetOutcomes(state, renewed), ...joinPatches(state, [], renewed, nowMs)], reasons: [] },
        ...decided.map(({ decision }) => decision),
      ]);
    },
  };
}

interface PoolDecision {
  readonly decision: Decision;
  /** The pool, when what is remembered of its registrations says nothing of it as it is now. */
  readonly renewed: NodePool | undefined;
}

function statusOf<View>(
  snapshot: Snapshot<View>,
  provider: Provider<View>,
  nodePool: NodePool,
  count: PoolCount,
  claims: readonly NodeClaim[],
): PoolDecision {
  const nodeClass = nodeClassOf(nodePool, snapshot.cluster.nodeClasses);
  const health = healthOf(snapshot, nodePool, nodeClass);
  const feeding = [validation(nodePool, provider), nodeClassReadiness(nodePool, nodeClass)];
  const budgets = budgetProblems(nodePool, snapshot.nowMs);
  const refusal = forgottenRefusal(nodePool, isClassNew(nodePool, nodeClass));
  const changes = [
    ...feeding,
    health.change,
    ...refusal,
    ...budgetChange(nodePool, budgets),
    ...restChange(snapshot, nodePool),
  ];
  const fields: Readonly<Record<string, Json>> = {
    nodes: count.nodes,
    resources: count.resources,
    ...(nodeClass?.metadata.generation === undefined
      ? {}
      : { nodeClassObservedGeneration: nodeClass.metadata.generation }),
  };
  const change = { conditions: changes, fields };
  const patch = statusPatch("NodePool", nodePool, nodePoolConditions, change, snapshot.nowMs);
  const commands: readonly Command[] = [...(patch === undefined ? [] : [patch]), ...hashPatches(nodePool, claims)];
  const decision = { commands, reasons: [...notReady(nodePool, feeding), ...unreadable(nodePool, budgets)] };
  return { decision, renewed: health.isRenewed ? nodePool : undefined };
}

function validation<View>(nodePool: NodePool, { nodeClass, wellKnownLabels }: Provider<View>): ConditionChange {
  const problems = runtimeProblems(nodePool, { wellKnownLabels, restrictedDomains: [nodeClass.group] });
  if (problems.length === 0) return { type: validationSucceeded, status: "True" };
  return {
    type: validationSucceeded,
    status: "False",
    reason: "NodePoolValidationFailed",
    message: problems.join("; "),
  };
}

/** A changed pool or node class begins anew. */
function healthOf(
  snapshot: Snapshot,
  nodePool: NodePool,
  nodeClass: NodeClass | undefined,
): { readonly change: ConditionChange; readonly isRenewed: boolean } {
  const { state } = snapshot.cluster;
  const before = conditionOf(nodePool, nodeRegistrationHealthy);
  const isNew =
    before === undefined ||
    before.observedGeneration !== (nodePool.metadata.generation ?? 1) ||
    isClassNew(nodePool, nodeClass);
  const isRenewed = before !== undefined && isNew && hasOutcomes(state, nodePool);
  const health = isRenewed ? undefined : registrationHealth(state, nodePool);
  if (health === undefined || health.status === "Unknown") return { change: unknownHealth, isRenewed };
  return {
    change: { type: nodeRegistrationHealthy, ...health, ...whileResting(snapshot, nodePool, health) },
    isRenewed,
  };
}

/** The message with what follows from it for new nodes. */
function whileResting(
  { cluster, nowMs }: Snapshot,
  nodePool: NodePool,
  { message = "" }: RegistrationHealth,
): { readonly message?: string } {
  const untilMs = joinPauseUntilMs(cluster.state, nodePool);
  if (untilMs === undefined || untilMs <= nowMs) return {};
  return { message: [message, restingInWords(untilMs)].filter((text) => text !== "").join(": ") };
}

function isClassNew({ status }: NodePool, nodeClass: NodeClass | undefined): boolean {
  const generation = nodeClass?.metadata.generation;
  return generation !== undefined && generation !== status?.nodeClassObservedGeneration;
}

const unknownHealth: ConditionChange = {
  type: nodeRegistrationHealthy,
  status: "Unknown",
  reason: "AwaitingReconciliation",
  message: "No node of this pool has registered since it changed",
};

/** Absent while all can be read: NodePools look as under Karpenter. */
function budgetChange(nodePool: NodePool, problems: readonly string[]): readonly ConditionChange[] {
  const type = disruptionBudgetsReadable;
  if (problems.length === 0) return conditionOf(nodePool, type) === undefined ? [] : [{ type }];
  return [{ type, status: "False", reason: "BudgetUnreadable", message: problems.join("; ") }];
}

/** Absent while the pool works. */
function restChange(snapshot: Snapshot, nodePool: NodePool): readonly ConditionChange[] {
  const rest = restOf(snapshot, nodePool.metadata.name);
  if (rest === undefined) return conditionOf(nodePool, offHours) === undefined ? [] : [{ type: offHours }];
  const end = restEndInWords(rest);
  const message = `Its nodes go and no new ones are made ${end === undefined ? "for as long as one can see" : `until ${end}`}`;
  return [{ type: offHours, status: "True", reason: "Resting", message }];
}

function unreadable(nodePool: NodePool, problems: readonly string[]): readonly Reason[] {
  if (problems.length === 0) return [];
  const message = `No node of this pool is disrupted, for any reason: ${problems.join("; ")}`;
  const event = { type: "Warning", reason: "DisruptionBlocked", once: true } as const;
  return [{ about: refOf("NodePool", nodePool), code: "pool-budget", message, event }];
}

function notReady(nodePool: NodePool, changes: readonly ConditionChange[]): readonly Reason[] {
  return changes
    .filter(({ status }) => status !== "True")
    .map((change): Reason => {
      const isNews = conditionOf(nodePool, change.type)?.status !== change.status;
      return {
        about: refOf("NodePool", nodePool),
        code: "pool-not-ready",
        message: `${change.type}: ${change.message ?? ""}`,
        ...(isNews ? { event: { type: "Normal", reason: change.type } as const } : {}),
      };
    });
}
