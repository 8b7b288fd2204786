import * as labels from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { clusterIdentityTag, nodeClaimTag, nodeClaimUidTag } from "#api/outrigger-names.ts";
import type { LaunchPlan } from "#core/cloud-provider.ts";
import type { EnsureLaunchTemplate, LaunchOption } from "#core/command.ts";
import { isTrue } from "#core/condition.ts";
import type { InstanceType } from "#core/instance-type.ts";
import { firstConflict, requirementsOf } from "#core/scheduling/requirements/requirements.ts";
import { resourcesOf } from "#core/scheduling/resources/resources.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { stableHash } from "#core/stable-hash.ts";
import type { WorkshopClass } from "./workshop-class.ts";
import { onDemand, typesFor } from "./workshop-types.ts";
import { classFor, type WorkshopView } from "./workshop-view.ts";

export function planLaunch(snapshot: Snapshot<WorkshopView>, claim: NodeClaim, attempt: number): LaunchPlan {
  const workshopClass = classFor(snapshot.cluster, claim.spec.nodeClassRef);
  const types = typesFor(snapshot, claim.spec.nodeClassRef);
  if (workshopClass === undefined || types.kind === "unknown" || !isTrue(workshopClass, "Ready")) {
    return { kind: "not-ready", message: `WorkshopClass ${claim.spec.nodeClassRef.name} is not ready` };
  }
  const template = templateOf(snapshot, claim, workshopClass);
  const options = types.instanceTypes.flatMap((type) => optionsOf(type, claim, template.name)).sort(byPrice);
  if (options.length === 0) return { kind: "insufficient-capacity", message: "no machine of the workshop will do" };
  const { name: nodeClaim, uid: nodeClaimUid = "" } = claim.metadata;
  const token = `${nodeClaimUid}-${attempt}`;
  const tags = {
    [nodeClaimTag]: nodeClaim,
    [nodeClaimUidTag]: nodeClaimUid,
    [clusterIdentityTag]: snapshot.settings.clusterIdentity,
  };
  return {
    kind: "launch",
    prepare: [template],
    launch: { kind: "launch-instance", nodeClaim, nodeClaimUid, attempt, token, capacityType: onDemand, options, tags },
  };
}

/** One a hall in which a machine of this type would do. */
function optionsOf(type: InstanceType, claim: NodeClaim, launchTemplate: string): readonly LaunchOption[] {
  const requests = Object.entries(resourcesOf(claim.spec.resources?.requests, "up"));
  if (!requests.every(([name, amount]) => amount <= (type.allocatable[name] ?? 0))) return [];
  const wanted = requirementsOf(claim.spec.requirements);
  return type.offerings.flatMap(({ zone, pricePerHour, available }) => {
    const there = requirementsOf([...type.requirements, { key: labels.zoneLabel, operator: "In", values: [zone] }]);
    if (!available || firstConflict(there, wanted) !== undefined) return [];
    return [{ instanceType: type.name, zone, pricePerHour, launchTemplate }];
  });
}

function templateOf(
  { settings }: Snapshot<WorkshopView>,
  claim: NodeClaim,
  workshopClass: WorkshopClass,
): EnsureLaunchTemplate {
  const unregistered = { key: labels.unregisteredTaintKey, effect: "NoExecute" } as const;
  const taints = [...(claim.spec.taints ?? []), ...(claim.spec.startupTaints ?? []), unregistered];
  const bootstrap = { clusterName: settings.clusterName, labels: { ...claim.metadata.labels }, taints };
  const content = { imageId: workshopClass.status?.systemEdition ?? "", bootstrap };
  return {
    kind: "ensure-launch-template",
    name: `recipe-${stableHash(JSON.stringify(content), 12)}`,
    ...content,
    ...{ details: {}, tags: {} },
  };
}

function byPrice(a: LaunchOption, b: LaunchOption): number {
  if (a.pricePerHour !== b.pricePerHour) return a.pricePerHour - b.pricePerHour;
  return `${a.instanceType} ${a.zone}` < `${b.instanceType} ${b.zone}` ? -1 : 1;
}
