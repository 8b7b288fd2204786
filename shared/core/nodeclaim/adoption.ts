/**
 * Karpenter counterpart: none in its core; there the result of a launch lives in memory for an hour
 * (pkg/controllers/nodeclaim/lifecycle/launch.go, the cache by UID) and a crash in between leaks the instance until the
 * provider's garbage collection. Here an instance tagged for a claim that does not know of it is written onto the claim,
 * before anything could launch a second one. Claims that are being deleted too: their instance must be terminated.
 */
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { isTrue } from "../condition.ts";
import { type Decision, nothing, together } from "../decision.ts";
import { refOf } from "../object-ref.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Stage } from "../stage.ts";
import { launched, registered } from "./conditions.ts";
import { type Instances, indexInstances, taggedInstance } from "./instance-presence.ts";
import { type LaunchKnowledge, launchedCommands, metadataPatch } from "./launched.ts";
import { isDeleting, isManagedClaim } from "./managed.ts";

export function adoption<View>(provider: LaunchKnowledge<View>): Stage<View> {
  return {
    name: "adoption",
    decide: (snapshot) => {
      const instances = indexInstances(snapshot);
      const claims = snapshot.cluster.nodeClaims.filter((claim) => isManagedClaim(claim, provider.nodeClass));
      return together(claims.map((claim) => adopt(snapshot, provider, claim, instances)));
    },
  };
}

function adopt<View>(
  snapshot: Snapshot<View>,
  provider: LaunchKnowledge<View>,
  claim: NodeClaim,
  instances: Instances,
): Decision {
  const providerID = claim.status?.providerID;
  if (providerID !== undefined) return isSettled(claim) ? nothing : repair(snapshot, provider, claim, instances);
  const instance = taggedInstance(claim, instances);
  if (instance === undefined) return nothing;
  return {
    commands: launchedCommands(snapshot, provider, claim, instance),
    reasons: [
      {
        about: refOf("NodeClaim", claim),
        code: "claim-adopted",
        message: `Instance ${instance.id} was launched for this claim by an earlier attempt and is now recorded`,
        data: { instanceId: instance.id, instanceType: instance.instanceType, zone: instance.zone },
        event: { type: "Normal", reason: launched },
      },
    ],
  };
}

/** After registration the node has its labels, and nothing is synced again. */
function isSettled(claim: NodeClaim): boolean {
  return isTrue(claim, registered) || isDeleting(claim);
}

/** The status was written and the labels were not. */
function repair<View>(
  snapshot: Snapshot<View>,
  provider: LaunchKnowledge<View>,
  claim: NodeClaim,
  instances: Instances,
): Decision {
  const instance = instances.byProviderId.get(claim.status?.providerID ?? "");
  if (instance === undefined) return nothing;
  const patch = metadataPatch(claim, provider.launched(snapshot, claim, instance));
  return patch === undefined ? nothing : { commands: [patch], reasons: [] };
}
