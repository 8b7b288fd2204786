import { resourceListOf } from "#core/scheduling/resources/resources.ts";
import { instanceTypesOf } from "#ec2/instance-type/instance-types.ts";
import { ec2WellKnownLabels } from "#ec2/labels.ts";
import { resolvedClass, snapshotOf } from "../../support/ec2-world.ts";
import type { Offer } from "./offer.ts";
import type { Random } from "./random.ts";
import type { RawInstanceType } from "./raw-problem.ts";

const realZones = ["us-east-1a", "us-east-1b", "us-east-1c"];
let realTypes: readonly RawInstanceType[] | undefined;

/** Every type of the embedded catalogue, as an EC2NodeClass with subnets in three zones offers it. */
export function allRealTypes(): readonly RawInstanceType[] {
  realTypes ??= readRealTypes();
  return realTypes;
}

function readRealTypes(): readonly RawInstanceType[] {
  const resolved = resolvedClass();
  const subnets = realZones.map((zone, i) => ({ id: `subnet-${i}`, zone, zoneID: `use1-az${i + 1}` }));
  const nodeClass = { ...resolved, status: { ...resolved.status, subnets } };
  const answer = instanceTypesOf(snapshotOf({ nodeClasses: [nodeClass] }), nodeClass);
  if (answer.kind === "unknown") throw new Error(answer.message);
  return answer.instanceTypes.map(({ name, requirements, offerings, capacity, allocatable }) => {
    const taken = Object.keys(capacity).map((key) => [key, (capacity[key] ?? 0) - (allocatable[key] ?? 0)] as const);
    return {
      name,
      requirements,
      capacity: resourceListOf(capacity),
      overhead: { kubeReserved: resourceListOf(Object.fromEntries(taken.filter(([, amount]) => amount > 0))) },
      offerings: offerings.map((one) => ({
        zone: one.zone,
        capacityType: one.capacityType,
        price: one.pricePerHour,
        ...(one.available ? {} : { available: false }),
        ...(one.requirements === undefined ? {} : { requirements: one.requirements }),
      })),
    };
  });
}

/** So many real types of a few families. */
export function realOffer(random: Random, count: number): Offer {
  const all = allRealTypes().filter(({ offerings }) => offerings.some(({ available }) => available !== false));
  const familyOf = (type: RawInstanceType): string => type.name.split(".")[0] ?? "";
  const names = [...new Set(all.map(familyOf))];
  const chosen = new Set(random.some(names, 12));
  const types = random.some(
    all.filter((type) => chosen.has(familyOf(type))),
    count,
  );
  const values = (key: string): readonly string[] => [
    ...new Set(
      types.flatMap((type) =>
        (type.requirements ?? []).filter((one) => one.key === key).flatMap((one) => one.values ?? []),
      ),
    ),
  ];
  return {
    types,
    wellKnownLabels: ec2WellKnownLabels,
    zones: realZones,
    capacityTypes: ["on-demand", "spot"],
    archs: values("kubernetes.io/arch"),
    labels: Object.fromEntries(
      [
        "karpenter.k8s.aws/instance-family",
        "karpenter.k8s.aws/instance-category",
        "karpenter.k8s.aws/instance-size",
      ].map((key) => [key, values(key)]),
    ),
    numberLabel: "karpenter.k8s.aws/instance-cpu",
    deviceResource: "nvidia.com/gpu",
    reservationIDLabel: "",
  };
}
