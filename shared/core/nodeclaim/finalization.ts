/**
 * Karpenter counterpart: pkg/controllers/nodeclaim/lifecycle/termination.go, its end. It differs: a claim that may have
 * launched without knowing its instance (a crash, a lost answer) is kept until the cloud cannot be hiding one any more, where
 * Karpenter makes no call for a claim without a provider ID.
 */
import { terminationFinalizer } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { clusterIdentityTag } from "#api/outrigger-names.ts";
import type { CloudProvider } from "../cloud-provider.ts";
import { isTrue } from "../condition.ts";
import { type Decision, nothing, together } from "../decision.ts";
import type { Instance } from "../instance.ts";
import { lockedRefOf, refOf } from "../object-ref.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Stage } from "../stage.ts";
import { type NodesByProviderId, nodesByProviderId, nodesOf } from "../state/node-index.ts";
import { claimStatusPatch, instanceTerminating, registered } from "./conditions.ts";
import {
  consistencyGraceMs,
  type Instances,
  indexInstances,
  instanceIdOf,
  taggedInstance,
} from "./instance-presence.ts";
import { foreignInstance, instanceEnd } from "./instance-termination.ts";
import { attemptFailed, attemptTimeMs, isRepetition } from "./launch-attempt.ts";
import { isDeleting, isManagedClaim } from "./managed.ts";

export function finalization<View>(provider: Pick<CloudProvider<unknown, View>, "nodeClass">): Stage<View> {
  return {
    name: "finalization",
    decide: (snapshot) => {
      const instances = indexInstances(snapshot);
      const nodes = nodesByProviderId(snapshot.cluster.nodes);
      return together(
        snapshot.cluster.nodeClaims
          .filter((claim) => isManagedClaim(claim, provider.nodeClass) && isDeleting(claim) && isHeld(claim))
          .map((claim) => finalize(claim, nodes, instances, snapshot)),
      );
    },
  };
}

function isHeld(claim: NodeClaim): boolean {
  return (claim.metadata.finalizers ?? []).includes(terminationFinalizer);
}

function finalize(claim: NodeClaim, nodes: NodesByProviderId, instances: Instances, snapshot: Snapshot): Decision {
  const providerID = claim.status?.providerID;
  if (providerID === undefined) return withoutInstance(claim, instances, snapshot);
  if (isTrue(claim, registered) && nodesOf(claim, nodes).length > 0) return terminating(claim, providerID, snapshot);
  if (instanceEnd(claim, instances, snapshot) !== "gone") return terminating(claim, providerID, snapshot);
  const foreign = foreignInstance(claim, instances, snapshot);
  return foreign === undefined ? release(claim) : release(claim, leftAlone(foreign));
}

/** The cloud took the termination on, or does not know the instance. */
function terminating(claim: NodeClaim, providerID: string, snapshot: Snapshot): Decision {
  const isTaken = snapshot.steps.some(
    ({ command, outcome }) =>
      command.kind === "terminate-instance" &&
      command.instanceId === instanceIdOf(providerID) &&
      (outcome.kind === "done" || outcome.fault.kind === "not-found"),
  );
  const change = { type: instanceTerminating, status: "True" } as const;
  const patch = isTaken ? claimStatusPatch(claim, [change], {}, snapshot.nowMs) : undefined;
  return patch === undefined ? nothing : { commands: [patch], reasons: [] };
}

function withoutInstance(claim: NodeClaim, instances: Instances, snapshot: Snapshot): Decision {
  const { nowMs } = snapshot;
  // Adoption records it, and then it is terminated.
  if (taggedInstance(claim, instances) !== undefined) return nothing;
  const attemptMs = attemptTimeMs(claim);
  if (attemptMs === undefined || attemptFailed(claim) || launchFailed(claim, snapshot)) return release(claim);
  const untilMs = attemptMs + consistencyGraceMs;
  if (nowMs > untilMs && snapshot.cloud.incomplete.length === 0) return release(claim);
  const seconds = Math.max(1, Math.ceil((untilMs - nowMs) / 1000));
  const message = `Its last launch may have taken effect: it stays another ${seconds} s in case the instance appears`;
  return {
    commands: [],
    reasons: [{ about: refOf("NodeClaim", claim), code: "claim-waiting", message }],
    againAtMs: Math.max(untilMs, nowMs) + 1_000,
  };
}

/** This tick's launch of the claim was answered, and nothing came of it: nor of an earlier one, if it was the first. */
function launchFailed(claim: NodeClaim, snapshot: Snapshot): boolean {
  if (isRepetition(claim)) return false;
  return snapshot.steps.some(
    ({ command, outcome }) =>
      command.kind === "launch-instance" &&
      command.nodeClaimUid === claim.metadata.uid &&
      outcome.kind === "failed" &&
      outcome.fault.kind === "insufficient-capacity",
  );
}

function leftAlone({ id, tags }: Instance): string {
  const identity = tags[clusterIdentityTag];
  const whose = identity === undefined ? "carries no tag of this cluster" : `belongs to another cluster (${identity})`;
  return `Instance ${id} ${whose}: it is not terminated`;
}

function releaseMessage({ status }: NodeClaim): string {
  const providerID = status?.providerID;
  return providerID === undefined ? "Nothing was launched for it" : `Instance ${instanceIdOf(providerID)} is gone`;
}

function release(claim: NodeClaim, message = releaseMessage(claim)): Decision {
  const finalizers = (claim.metadata.finalizers ?? []).filter((name) => name !== terminationFinalizer);
  return {
    commands: [{ kind: "patch-metadata", target: lockedRefOf("NodeClaim", claim), finalizers }],
    reasons: [
      {
        about: refOf("NodeClaim", claim),
        code: "claim-terminated",
        message,
        event: { type: "Normal", reason: "Finalized" },
      },
    ],
  };
}
