import type { ResourceList } from "#api/core-v1/meta.ts";
import { archLabel, capacityTypeLabel, instanceTypeLabel, osLabel, zoneLabel } from "#api/karpenter-v1/labels.ts";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import type { InstanceType, Offering, Resources } from "#core/instance-type.ts";
import { resourcesOf } from "#core/scheduling/resources.ts";
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
  const stated = new Set(requirements.map(({ key }) => key));
  const available = offerings.filter((one) => one.available);
  const derived: readonly (readonly [string, readonly string[]])[] = [
    [instanceTypeLabel, [name]],
    [archLabel, ["amd64"]],
    [osLabel, ["linux"]],
    [zoneLabel, [...new Set(available.map(({ zone }) => zone))].sort()],
    [capacityTypeLabel, [...new Set(available.map(({ capacityType }) => capacityType))].sort()],
  ];
  return [
    ...requirements,
    ...derived
      .filter(([key, values]) => !stated.has(key) && values.length > 0)
      .map(([key, values]) => ({ key, operator: "In" as const, values })),
  ];
}

function offeringOf(offering: ProblemOffering, reservationIDLabel: string): Offering {
  const { zone, capacityType, price, available, requirements, reservationCapacity } = offering;
  const reservationId =
    reservationIDLabel === ""
      ? undefined
      : requirements.find(({ key, operator }) => key === reservationIDLabel && operator === "In")?.values?.[0];
  return {
    zone,
    capacityType,
    pricePerHour: price,
    available,
    ...(requirements.length === 0 ? {} : { requirements }),
    ...(reservationId === undefined ? {} : { reservationId, reservationCapacity }),
  };
}

function less(capacity: Resources, overhead: ProblemInstanceType["overhead"]): Resources {
  const lists: readonly (ResourceList | undefined)[] = [
    overhead.kubeReserved,
    overhead.systemReserved,
    overhead.evictionThreshold,
  ];
  const taken = lists.map((one) => resourcesOf(one, "up"));
  return Object.fromEntries(
    Object.entries(capacity).map(([name, amount]) => [
      name,
      taken.reduce((left, one) => left - (one[name] ?? 0), amount),
    ]),
  );
}
