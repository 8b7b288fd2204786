/**
 * Karpenter counterpart: none; there a refusal that a person must mend is an event, and a condition of the claim, which
 * goes after minutes. Here the NodePool says it, with what to do, until a launch of that capacity type succeeds or the pool
 * or its class changes. Informational: other capacity types of the pool may well launch.
 */
import { nodePoolLabel } from "#api/karpenter-v1/labels.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import type { LaunchInstance } from "../command.ts";
import { type ConditionChange, conditionOf, statusPatch } from "../condition.ts";
import { type Decision, nothing, together } from "../decision.ts";
import type { Fault, FaultKind } from "../fault.ts";
import { conditionMessageMax, shortened } from "../message.ts";
import { refOf } from "../object-ref.ts";
import type { Step } from "../outcome.ts";
import type { Snapshot } from "../snapshot.ts";
import { launchesAllowed, nodePoolConditions } from "./conditions.ts";

type LaunchStep = Step & { readonly command: LaunchInstance };

/** After these the cloud answers the same until a person does something; of shortages, those with a reason. */
const lastingKinds: readonly FaultKind[] = ["insufficient-capacity", "launch-refused", "forbidden"];

/** What these launches say of their pools, one patch each. */
export function launchRefusals(snapshot: Snapshot, steps: readonly LaunchStep[]): Decision {
  const { nodeClaims, nodePools } = snapshot.cluster;
  const pools = new Map(nodeClaims.map(({ metadata }) => [metadata.uid, metadata.labels?.[nodePoolLabel]]));
  return together(
    nodePools.map((nodePool) => {
      const own = steps.filter(({ command }) => pools.get(command.nodeClaimUid) === nodePool.metadata.name);
      const change = own.length === 0 ? undefined : changeAfter(nodePool, own);
      return change === undefined ? nothing : told(snapshot, nodePool, change);
    }),
  );
}

/** A changed pool or class begins anew. */
export function forgottenRefusal(nodePool: NodePool, isClassNew: boolean): readonly ConditionChange[] {
  const before = conditionOf(nodePool, launchesAllowed);
  if (before === undefined) return [];
  const isNew = isClassNew || before.observedGeneration !== (nodePool.metadata.generation ?? 1);
  return isNew ? [{ type: launchesAllowed }] : [];
}

/** A refusal of the kind that is told already changes nothing, so that a count in the cloud's words is no news. */
function changeAfter(nodePool: NodePool, steps: readonly LaunchStep[]): ConditionChange | undefined {
  const before = conditionOf(nodePool, launchesAllowed);
  const refused = steps.flatMap(({ command, outcome }) =>
    outcome.kind === "failed" && isLasting(outcome.fault) ? [refusal(command.capacityType, outcome.fault)] : [],
  );
  const isTold = (capacityType: string): boolean => before?.message.startsWith(prefixOf(capacityType)) === true;
  if (refused.some(({ capacityType, reason }) => isTold(capacityType) && reason === before?.reason)) return undefined;
  const succeeded = steps.some(({ command, outcome }) => outcome.kind === "done" && isTold(command.capacityType));
  const [first] = refused;
  if (first === undefined) return succeeded ? { type: launchesAllowed } : undefined;
  if (before !== undefined && !succeeded && !isTold(first.capacityType)) return undefined;
  return { type: launchesAllowed, status: "False", reason: first.reason, message: first.message };
}

function isLasting({ kind, reason }: Fault): boolean {
  return reason !== undefined && lastingKinds.includes(kind);
}

function refusal(capacityType: string, { reason = "LaunchFailed", message }: Fault) {
  return { capacityType, reason, message: shortened(`${prefixOf(capacityType)}${message}`, conditionMessageMax) };
}

function prefixOf(capacityType: string): string {
  return `${capacityType} launches are refused: `;
}

function told({ nowMs }: Snapshot, nodePool: NodePool, change: ConditionChange): Decision {
  const patch = statusPatch("NodePool", nodePool, nodePoolConditions, { conditions: [change] }, nowMs);
  if (patch === undefined) return nothing;
  const { reason = "", message = "", status } = change;
  if (status === undefined) return { commands: [patch], reasons: [] };
  const event = { type: "Warning", reason } as const;
  return { commands: [patch], reasons: [{ about: refOf("NodePool", nodePool), code: "pool-limit", message, event }] };
}
