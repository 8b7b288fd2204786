/**
 * Karpenter counterpart: pkg/cloudprovider of its AWS provider. It differs: the calls are elsewhere, behind the Cloud
 * port; see cloud-provider.ts for the contract.
 */
import { ec2Group, ec2NodeClassKind, ec2NodeClassLabel } from "#api/ec2-v1/ec2nodeclass.ts";
import type { NodeClassReference } from "#api/karpenter-v1/nodepool.ts";
import type { CloudProvider, InstanceTypesAnswer } from "#core/cloud-provider.ts";
import { together } from "#core/decision.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { ec2Drift } from "./drift/drift.ts";
import { instanceTypesOf } from "./instance-type/instance-types.ts";
import { learnCapacities } from "./instance-type/learn-capacities.ts";
import { statusInterruptions } from "./interruption/instance-status.ts";
import { parseMessage } from "./interruption/message.ts";
import { ec2WellKnownLabels, reservationIdLabel } from "./labels.ts";
import { launchedFacts } from "./launch/launched.ts";
import { planLaunch } from "./launch/plan-launch.ts";
import { registeredTags } from "./launch/tags.ts";
import { findNodeClass } from "./node-class/node-class.ts";
import { nodeClassOutcome } from "./node-class/node-class-outcome.ts";
import { nodeClasses } from "./node-class/node-classes.ts";
import { partitionUnknown } from "./node-class/placement-group.ts";
import { reservationUpkeep } from "./node-class/reservation-upkeep.ts";
import { ec2Query } from "./query.ts";
import { repairPolicies } from "./repair-policies.ts";
import type { Ec2Query, Ec2View } from "./view.ts";

export const ec2Provider: CloudProvider<Ec2Query, Ec2View> = {
  name: "aws",
  nodeClass: { group: ec2Group, kind: ec2NodeClassKind, label: ec2NodeClassLabel },
  wellKnownLabels: ec2WellKnownLabels,
  reservationIdLabel,
  query: ec2Query,
  nodeClasses: (snapshot) =>
    together([
      nodeClasses(snapshot),
      learnCapacities(snapshot),
      statusInterruptions(snapshot),
      reservationUpkeep(snapshot),
    ]),
  nodeClassOutcome,
  instanceTypes: (snapshot, nodePool) => typesFor(snapshot, nodePool.spec.template.spec.nodeClassRef),
  instanceTypesOfClaim: (snapshot, claim) => typesFor(snapshot, claim.spec.nodeClassRef),
  planLaunch,
  launched: launchedFacts,
  registrationObstacle: partitionUnknown,
  drift: ec2Drift,
  repairPolicies,
  readMessage: parseMessage,
  registeredTags,
};

function typesFor(snapshot: Snapshot<Ec2View>, reference: NodeClassReference): InstanceTypesAnswer {
  const nodeClass = findNodeClass(snapshot.cluster, reference);
  if (nodeClass === undefined) return { kind: "unknown", message: `EC2NodeClass ${reference.name} does not exist` };
  return instanceTypesOf(snapshot, nodeClass);
}
