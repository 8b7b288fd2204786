/**
 * Karpenter counterpart: pkg/controllers/nodeclaim/garbagecollection. It differs in one point: a claim whose instance is
 * listed as terminated goes too when it never registered, instead of after the registration timeout, and counts against
 * its pool like one that did not join in time. As there, a Node that is Ready outweighs the cloud's list.
 */
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { partialReadBrake } from "../brake.ts";
import type { CloudProvider } from "../cloud-provider.ts";
import { isTrue } from "../condition.ts";
import { type Decision, together } from "../decision.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Stage } from "../stage.ts";
import { type NodesByProviderId, nodesByProviderId, nodesOf } from "../state/node-index.ts";
import { isReady } from "../state/node-readiness.ts";
import { deleteClaim } from "./claim-deletion.ts";
import { registered } from "./conditions.ts";
import { type Instances, indexInstances, instanceIdOf, presenceOf } from "./instance-presence.ts";
import { isDeleting, isManagedClaim } from "./managed.ts";
import { earlyEndPatches } from "./registration-health.ts";

export function claimGarbageCollection<View>(provider: Pick<CloudProvider<unknown, View>, "nodeClass">): Stage<View> {
  return {
    name: "claim-garbage-collection",
    decide: (snapshot) => {
      const partial = partialReadBrake(snapshot, "No NodeClaim is deleted for a lost instance");
      if (partial !== undefined) return { commands: [], reasons: [partial] };
      const nodes = nodesByProviderId(snapshot.cluster.nodes);
      const instances = indexInstances(snapshot);
      const lost = snapshot.cluster.nodeClaims.filter(
        (claim) =>
          isManagedClaim(claim, provider.nodeClass) && !isDeleting(claim) && isLost(claim, nodes, instances, snapshot),
      );
      const remembered = earlyEndPatches(snapshot.cluster, lost, snapshot.nowMs);
      return together([...lost.map(collected), { commands: remembered, reasons: [] }]);
    },
  };
}

function isLost(claim: NodeClaim, nodes: NodesByProviderId, instances: Instances, snapshot: Snapshot): boolean {
  const providerID = claim.status?.providerID;
  if (providerID === undefined || presenceOf(claim, providerID, instances, snapshot) !== "gone") return false;
  const isListed = instances.byProviderId.has(providerID);
  if (!isListed && !isTrue(claim, registered)) return false;
  return !nodesOf(claim, nodes).some(isReady);
}

function collected(claim: NodeClaim): Decision {
  const instance = instanceIdOf(claim.status?.providerID ?? "");
  return deleteClaim(claim, "garbage_collected", `Its instance ${instance} is gone`);
}
