import { capacityTypeLabel, zoneLabel } from "#api/karpenter-v1/labels.ts";
import type { CloudProvider } from "#core/cloud-provider.ts";
import { type ConditionSet, statusPatch } from "#core/condition.ts";
import { type Decision, nothing, together } from "#core/decision.ts";
import { resourceListOf } from "#core/scheduling/resources/resources.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { familyLabel, type WorkshopClass, workshopGroup, workshopKind, workshopLabel } from "./workshop-class.ts";
import { planLaunch } from "./workshop-launch.ts";
import { describe, labelsOf, typesFor } from "./workshop-types.ts";
import { classesOf, type WorkshopQuery, type WorkshopView } from "./workshop-view.ts";

/** A second cloud for the same core: made-up machines, to prove that the core knows no cloud. */
export const workshopProvider: CloudProvider<WorkshopQuery, WorkshopView> = {
  name: "workshop",
  nodeClass: { group: workshopGroup, kind: workshopKind, label: workshopLabel },
  wellKnownLabels: [familyLabel],
  query: (cluster) => ({ systems: [...new Set(classesOf(cluster).map(({ spec }) => spec.system))].sort() }),
  nodeClasses: (snapshot) => together(classesOf(snapshot.cluster).map((each) => resolveClass(snapshot, each))),
  instanceTypes: (snapshot, pool) => typesFor(snapshot, pool.spec.template.spec.nodeClassRef),
  instanceTypesOfClaim: (snapshot, claim) => typesFor(snapshot, claim.spec.nodeClassRef),
  planLaunch,
  readMessage: () => ({ kind: "unknown", message: "this cloud announces nothing" }),
  launched: (snapshot, _claim, { instanceType, zone, capacityType }) => {
    const type = snapshot.cloud.view.machineTypes.find(({ name }) => name === instanceType);
    if (type === undefined) return { labels: {}, annotations: {}, capacity: {}, allocatable: {} };
    const { capacity, allocatable } = describe(snapshot, type, [zone]);
    return {
      labels: { ...labelsOf(type), [zoneLabel]: zone, [capacityTypeLabel]: capacityType },
      annotations: {},
      capacity: resourceListOf(capacity),
      allocatable: resourceListOf(allocatable),
    };
  },
};

function resolveClass({ cloud, nowMs }: Snapshot<WorkshopView>, workshopClass: WorkshopClass): Decision {
  const { system } = workshopClass.spec;
  const edition = cloud.view.editions[system];
  const change =
    edition === undefined
      ? ({ type: "SystemReady", status: "False", reason: "SystemNotFound", message: `no system ${system}` } as const)
      : ({ type: "SystemReady", status: "True" } as const);
  const fields = { systemEdition: edition ?? null };
  const status = statusPatch("NodeClass", workshopClass, workshopConditions, { conditions: [change], fields }, nowMs);
  return status === undefined ? nothing : { commands: [status], reasons: [] };
}

const workshopConditions: ConditionSet = { root: "Ready", dependents: ["SystemReady"] };
