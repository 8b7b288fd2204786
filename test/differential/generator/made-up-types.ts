import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import type { Offer } from "./offer.ts";
import type { Random } from "./random.ts";
import type { RawInstanceType, RawOffering } from "./raw-problem.ts";

const domain = "machines.example";
export const familyKey = `${domain}/family`;
export const coresKey = `${domain}/cores`;
export const gpuKey = `${domain}/gpu`;
export const reservationKey = `${domain}/reservation`;

interface Family {
  readonly name: string;
  readonly arch: string;
  readonly gibPerCore: number;
  readonly pricePerCore: number;
  readonly gpu?: string;
}

const families: readonly Family[] = [
  { name: "even", arch: "amd64", gibPerCore: 4, pricePerCore: 0.048 },
  { name: "lean", arch: "amd64", gibPerCore: 2, pricePerCore: 0.0425 },
  { name: "rich", arch: "amd64", gibPerCore: 8, pricePerCore: 0.063 },
  { name: "slim", arch: "arm64", gibPerCore: 2, pricePerCore: 0.034 },
  { name: "wide", arch: "arm64", gibPerCore: 8, pricePerCore: 0.05 },
  { name: "deep", arch: "amd64", gibPerCore: 4, pricePerCore: 0.13, gpu: "tensor" },
];

/** Machines that nobody sells: a few families in sizes, some offers sold out, some reserved. */
export function madeUpOffer(random: Random, reserved: boolean, soldOut: number): Offer {
  const zones = ["zone-a", "zone-b", "zone-c"].slice(0, random.chance(0.85) ? 3 : 2);
  const sold = random.some(families, random.between(2, families.length));
  const types = sold.flatMap((family) => typesOf(family, zones, random, soldOut));
  const all = reserved ? withReservations(types, zones, random) : types;
  return {
    types: all,
    wellKnownLabels: [familyKey, coresKey, gpuKey],
    zones,
    capacityTypes: reserved ? ["on-demand", "spot", "reserved"] : ["on-demand", "spot"],
    archs: [...new Set(sold.map(({ arch }) => arch))],
    labels: { [familyKey]: sold.map(({ name }) => name), [gpuKey]: ["tensor"] },
    numberLabel: coresKey,
    deviceResource: `${domain}/gpu`,
    reservationIDLabel: reserved ? reservationKey : "",
  };
}

function typesOf(
  family: Family,
  zones: readonly string[],
  random: Random,
  soldOut: number,
): readonly RawInstanceType[] {
  const sizes = random.some([1, 2, 4, 8, 16, 32], random.between(3, 6));
  const own = zones.filter(() => random.chance(0.9));
  return sizes.map((cores) => {
    const gpus = family.gpu === undefined ? 0 : Math.max(1, Math.floor(cores / 8));
    const label = (key: string, value: string | undefined): RequirementSpec =>
      value === undefined ? { key, operator: "DoesNotExist" } : { key, operator: "In", values: [value] };
    const price = cores * family.pricePerCore * (1 + random.below(5) / 100);
    const offerings: readonly RawOffering[] = (own.length === 0 ? zones : own).flatMap((zone) => [
      offering(zone, "on-demand", price, random.chance(soldOut / 2)),
      offering(zone, "spot", price * (0.3 + random.below(30) / 100), random.chance(soldOut)),
    ]);
    return {
      name: `${family.name}.${cores}`,
      requirements: [
        label("kubernetes.io/arch", family.arch),
        label("kubernetes.io/os", "linux"),
        label(familyKey, family.name),
        label(coresKey, String(cores)),
        label(gpuKey, family.gpu),
      ],
      capacity: {
        cpu: String(cores),
        memory: `${cores * family.gibPerCore}Gi`,
        pods: String(Math.min(110, 8 + cores * 8)),
        "ephemeral-storage": "20Gi",
        ...(gpus === 0 ? {} : { [`${domain}/gpu`]: String(gpus) }),
      },
      overhead: {
        kubeReserved: { cpu: `${60 + cores * 10}m`, memory: `${200 + cores * 40}Mi` },
        evictionThreshold: { memory: "100Mi" },
      },
      offerings,
    };
  });
}

function offering(zone: string, capacityType: string, price: number, soldOut: boolean): RawOffering {
  return { zone, capacityType, price: Math.round(price * 1e5) / 1e5, ...(soldOut ? { available: false } : {}) };
}

/** Without the label of reservations an offering must say that it has none. */
function withReservations(
  types: readonly RawInstanceType[],
  zones: readonly string[],
  random: Random,
): readonly RawInstanceType[] {
  const none: RequirementSpec = { key: reservationKey, operator: "DoesNotExist" };
  return types.map((type) => {
    const plain = type.offerings.map((one) => ({ ...one, requirements: [none] }));
    if (!random.chance(0.3)) return { ...type, offerings: plain };
    const zone = random.pick(zones);
    const id = `reservation-${type.name}-${zone}`.replace(".", "-");
    const reservation: RawOffering = {
      zone,
      capacityType: "reserved",
      price: 0.00001 * Number(type.capacity.cpu ?? "1"),
      reservationCapacity: random.between(1, 3),
      requirements: [{ key: reservationKey, operator: "In", values: [id] }],
    };
    return { ...type, offerings: [...plain, reservation] };
  });
}
