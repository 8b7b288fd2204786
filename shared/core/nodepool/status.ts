/**
 * Karpenter counterpart: pkg/controllers/nodepool/{counter,readiness,validation,registrationhealth,hash}. It differs: five
 * controllers with a patch each are one stage with one patch of the status, written only when it changes.
 */
import type { Json, ResourceList } from "#api/core-v1/meta.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { runtimeProblems } from "#api/karpenter-v1/runtime-validation.ts";
import { sameJson } from "#api/same-json.ts";
import type { CloudProvider } from "../cloud-provider.ts";
import type { Command, PatchStatus } from "../command.ts";
import { type ConditionChange, conditionOf, sameConditions, withConditions } from "../condition.ts";
import { type Decision, together } from "../decision.ts";
import { isDeleting, isManagedClaim, isManagedPool } from "../nodeclaim/managed.ts";
import { lockedRefOf, refOf } from "../object-ref.ts";
import type { Reason } from "../reason.ts";
import type { NodeClass, Snapshot } from "../snapshot.ts";
import type { Stage } from "../stage.ts";
import { nodePoolConditions, nodeRegistrationHealthy, validationSucceeded } from "./conditions.ts";
import { emptyCount, type PoolCount, poolCounts } from "./counting.ts";
import { hashPatches } from "./hash-annotations.ts";
import { nodeClassOf, nodeClassReadiness } from "./node-class-readiness.ts";
import { orphanedHealth, registrationHealth, registrationHealthKey } from "./registration-health.ts";

type Provider<View> = Pick<CloudProvider<unknown, View>, "nodeClass" | "wellKnownLabels">;

export function nodePoolStatus<View>(provider: Provider<View>): Stage<View> {
  return {
    name: "pools",
    decide: (snapshot) => {
      const counts = poolCounts(snapshot.cluster);
      const claims = snapshot.cluster.nodeClaims.filter((claim) => isManagedClaim(claim, provider.nodeClass));
      const { nodePools, state } = snapshot.cluster;
      return together([
        { commands: orphanedHealth(state, nodePools), reasons: [] },
        ...nodePools
          .filter((nodePool) => isManagedPool(nodePool, provider.nodeClass) && !isDeleting(nodePool))
          .map((nodePool) =>
            statusOf(snapshot, provider, nodePool, counts.get(nodePool.metadata.name) ?? emptyCount, claims),
          ),
      ]);
    },
  };
}

function statusOf<View>(
  snapshot: Snapshot<View>,
  provider: Provider<View>,
  nodePool: NodePool,
  count: PoolCount,
  claims: readonly NodeClaim[],
): Decision {
  const nodeClass = nodeClassOf(nodePool, snapshot.cluster.nodeClasses);
  const health = healthOf(snapshot, nodePool, nodeClass);
  const changes = [validation(nodePool, provider), nodeClassReadiness(nodePool, nodeClass), health.change];
  const conditions = withConditions(nodePool, nodePoolConditions, changes, snapshot.nowMs);
  const fields = {
    nodes: count.nodes,
    ...(nodeClass?.metadata.generation === undefined
      ? {}
      : { nodeClassObservedGeneration: nodeClass.metadata.generation }),
  };
  const before: Readonly<Record<string, unknown>> = { ...nodePool.status };
  const differing = Object.entries(fields).filter(([name, value]) => before[name] !== value);
  const status: Readonly<Record<string, Json>> = {
    ...Object.fromEntries(differing),
    ...(sameJson(nodePool.status?.resources ?? null, count.resources)
      ? {}
      : { resources: replacing(nodePool.status?.resources, count.resources) }),
    ...(sameConditions(nodePool.status?.conditions, conditions)
      ? {}
      : { conditions: conditions.map((condition) => ({ ...condition })) }),
  };
  const patch: PatchStatus = { kind: "patch-status", target: lockedRefOf("NodePool", nodePool), status };
  const commands: readonly Command[] = [
    ...(Object.keys(status).length === 0 ? [] : [patch]),
    ...health.commands,
    ...hashPatches(nodePool, claims),
  ];
  return { commands, reasons: notReady(nodePool, changes) };
}

/** Status maps are merged: what is no longer there must be named. */
function replacing(before: ResourceList | undefined, after: ResourceList): Readonly<Record<string, string | null>> {
  const gone = Object.keys(before ?? {}).filter((name) => after[name] === undefined);
  return { ...after, ...Object.fromEntries(gone.map((name) => [name, null])) };
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
): { readonly change: ConditionChange; readonly commands: readonly Command[] } {
  const { state } = snapshot.cluster;
  const before = conditionOf(nodePool, nodeRegistrationHealthy);
  const isNew =
    before === undefined ||
    before.observedGeneration !== (nodePool.metadata.generation ?? 1) ||
    (nodeClass?.metadata.generation !== undefined &&
      nodeClass.metadata.generation !== nodePool.status?.nodeClassObservedGeneration);
  const key = registrationHealthKey(nodePool);
  if (before !== undefined && isNew && state[key] !== undefined) {
    return { change: unknownHealth, commands: [{ kind: "patch-state", key, value: null }] };
  }
  const health = registrationHealth(state, nodePool);
  if (health.status === "Unknown") return { change: unknownHealth, commands: [] };
  return { change: { type: nodeRegistrationHealthy, ...health }, commands: [] };
}

const unknownHealth: ConditionChange = {
  type: nodeRegistrationHealthy,
  status: "Unknown",
  reason: "AwaitingReconciliation",
  message: "No node of this pool has registered since it changed",
};

function notReady(nodePool: NodePool, changes: readonly ConditionChange[]): readonly Reason[] {
  return changes
    .filter(({ type, status }) => status !== "True" && nodePoolConditions.dependents.includes(type))
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
