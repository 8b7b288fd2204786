import { archLabel, capacityTypeLabel, instanceTypeLabel, osLabel, zoneLabel } from "#api/karpenter-v1/labels.ts";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import type { InstanceType, Offering, Resources } from "#core/instance-type.ts";
import { noResources, resourcesOf } from "#core/scheduling/resources/resources.ts";
import type { ProblemInstanceType, ProblemOffering } from "./problem.ts";

/** As the core knows it. `reservationIDLabel`: "" when the problem has no reservations. */
export function instanceTypeOf(type: ProblemInstanceType, reservationIDLabel: string): InstanceType {
  const capacity = resourcesOf(type.capacity, "down");
  return {
    name: type.name,
    requirements: withDerived(type),
    offerings: type.offerings.map((one) => offeringOf(one, reservationIDLabel)),
    capacity,
    allocatable: less(capacity, type.overhead),
  };
}

/** What the problem states wins; basic labels that it leaves out are derived. */
function withDerived({ name, requirements, offerings }: ProblemInstanceType): readonly RequirementSpec[] {
  const zones = new Set<string>();
  const capacityTypes = new Set<string>();
  for (const { available, zone, capacityType } of offerings) {
    if (!available) continue;
    zones.add(zone);
    capacityTypes.add(capacityType);
  }
  const all = [...requirements];
  const derive = (key: string, values: readonly string[]): void => {
    const isStated = requirements.some((one) => one.key === key);
    if (!isStated && values.length > 0) all.push({ key, operator: "In", values });
  };
  derive(instanceTypeLabel, [name]);
  derive(archLabel, ["amd64"]);
  derive(osLabel, ["linux"]);
  derive(zoneLabel, [...zones].sort());
  derive(capacityTypeLabel, [...capacityTypes].sort());
  return all;
}

function offeringOf(offering: ProblemOffering, reservationIDLabel: string): Offering {
  const { zone, capacityType, price, available, requirements, reservationCapacity } = offering;
  if (requirements.length === 0) return { zone, capacityType, pricePerHour: price, available };
  const reservationId =
    reservationIDLabel === ""
      ? undefined
      : requirements.find(({ key, operator }) => key === reservationIDLabel && operator === "In")?.values?.[0];
  return {
    zone,
    capacityType,
    pricePerHour: price,
    available,
    requirements,
    ...(reservationId === undefined ? {} : { reservationId, reservationCapacity }),
  };
}

function less(capacity: Resources, overhead: ProblemInstanceType["overhead"]): Resources {
  const left: Record<string, number> = { ...capacity };
  for (const list of [overhead.kubeReserved, overhead.systemReserved, overhead.evictionThreshold]) {
    const taken = list === undefined ? noResources : resourcesOf(list, "up");
    for (const name in taken) if (left[name] !== undefined) left[name] -= taken[name] ?? 0;
  }
  return left;
}
