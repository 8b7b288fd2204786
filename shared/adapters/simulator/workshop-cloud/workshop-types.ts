import * as labels from "#api/karpenter-v1/labels.ts";
import type { NodeClassReference } from "#api/karpenter-v1/nodepool.ts";
import type { InstanceTypesAnswer } from "#core/cloud-provider.ts";
import type { InstanceType } from "#core/instance-type.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { isUnavailable } from "#core/state/unavailable-offerings.ts";
import { type MachineType, region } from "./machine-types.ts";
import { familyLabel } from "./workshop-class.ts";
import { classFor, type WorkshopView } from "./workshop-view.ts";

/** The workshop knows no other way to pay. */
export const onDemand = "on-demand";
const gib = 2 ** 30;

export function typesFor(snapshot: Snapshot<WorkshopView>, reference: NodeClassReference): InstanceTypesAnswer {
  const workshopClass = classFor(snapshot.cluster, reference);
  if (workshopClass === undefined) return { kind: "unknown", message: `no WorkshopClass ${reference.name}` };
  const types = snapshot.cloud.view.machineTypes;
  return { kind: "known", instanceTypes: types.map((type) => describe(snapshot, type, workshopClass.spec.halls)) };
}

export function labelsOf(type: MachineType): Readonly<Record<string, string>> {
  return {
    [labels.instanceTypeLabel]: type.name,
    [labels.archLabel]: "amd64",
    [labels.osLabel]: "linux",
    [labels.regionLabel]: region,
    [familyLabel]: type.family,
  };
}

export function describe(
  { cluster, nowMs }: Snapshot<WorkshopView>,
  type: MachineType,
  wantedHalls: readonly string[],
): InstanceType {
  const zones = type.halls.filter((hall) => wantedHalls.includes(hall));
  const capacity = {
    cpu: type.cores * 1000,
    memory: type.memoryGiB * gib,
    "ephemeral-storage": 100 * gib,
    pods: type.places,
  };
  return {
    name: type.name,
    requirements: [
      ...Object.entries(labelsOf(type)).map(([key, value]) => ({ key, operator: "In" as const, values: [value] })),
      { key: labels.zoneLabel, operator: "In", values: zones },
      { key: labels.capacityTypeLabel, operator: "In", values: [onDemand] },
      { key: labels.windowsBuildLabel, operator: "DoesNotExist" },
    ],
    offerings: zones.map((zone) => ({
      zone,
      capacityType: onDemand,
      pricePerHour: type.pricePerHour,
      available: !isUnavailable(cluster.state, { instanceType: type.name, zone, capacityType: onDemand }, nowMs),
    })),
    capacity,
    allocatable: { ...capacity, cpu: capacity.cpu - 100, memory: capacity.memory - gib / 2 },
  };
}
