/**
 * Karpenter counterpart: pkg/controllers/node/termination/controller.go, awaitInstanceTermination. It differs: an
 * instance that the list has is asked to terminate only while it is live, and one that the list has not is asked once
 * by its id, since a list by tags is no proof that it is gone. And one that is listed as somebody else's is never ended,
 * whatever a claim's status says: the claim is let go.
 */
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { Command } from "../command.ts";
import { isTrue } from "../condition.ts";
import type { Decision } from "../decision.ts";
import type { Instance } from "../instance.ts";
import type { Snapshot } from "../snapshot.ts";
import { instanceTerminating, transitionMs } from "./conditions.ts";
import { type Instances, instanceIdOf, isForeign, presenceOf } from "./instance-presence.ts";

/** Karpenter asks so often while an instance shuts down; here no longer than the window, then by the minute. */
const pollMs = 5_000;
const pollWindowMs = 5 * 60_000;

/** `ask`: terminate it now. `wait`: it is on its way. `gone`: the cloud says so, or it is not ours; finalizers may go. */
export type InstanceEnd = "ask" | "wait" | "gone";

/** Where the instance of a deleted claim stands; `gone` for a claim without one. */
export function instanceEnd(claim: NodeClaim, instances: Instances, snapshot: Snapshot): InstanceEnd {
  const providerID = claim.status?.providerID;
  if (providerID === undefined) return "gone";
  if (foreignInstance(claim, instances, snapshot) !== undefined) return "gone";
  const presence = presenceOf(claim, providerID, instances, snapshot);
  if (presence === "live") return "ask";
  const isKnown = instances.byProviderId.has(providerID) || isTrue(claim, instanceTerminating);
  if (!isKnown) return "ask";
  return presence === "gone" ? "gone" : "wait";
}

/** The instance that the claim's status names, when it is listed and not ours to end. */
export function foreignInstance(claim: NodeClaim, instances: Instances, snapshot: Snapshot): Instance | undefined {
  const instance = instances.byProviderId.get(claim.status?.providerID ?? "");
  return instance !== undefined && isForeign(instance, snapshot) ? instance : undefined;
}

/** Asks for the termination while that is due, and to be woken to see its end. */
export function instanceDecision(claim: NodeClaim, end: InstanceEnd, nowMs: number): Decision {
  const providerID = claim.status?.providerID;
  const commands: readonly Command[] =
    end === "ask" && providerID !== undefined
      ? [{ kind: "terminate-instance", instanceId: instanceIdOf(providerID) }]
      : [];
  const sinceMs = transitionMs(claim, instanceTerminating) ?? nowMs;
  const isAwaited = nowMs < sinceMs + pollWindowMs;
  return { commands, reasons: [], ...(isAwaited ? { againAtMs: nowMs + pollMs } : {}) };
}
