/**
 * What the offerings of all instance types say to one set of requirements; made once a set. Karpenter counterpart:
 * pkg/cloudprovider/types.go, Offerings.Available, Compatible and Cheapest.
 */
import { capacityTypeLabel, zoneLabel } from "#api/karpenter-v1/labels.ts";
import type { Offering } from "../instance-type.ts";
import { add, type Bitset, emptyBitset } from "./bitset.ts";
import { overlaps, valueRequirement } from "./requirement.ts";
import type { RequirementSet } from "./requirement-set.ts";
import { intersectRequirements, type Requirements, requirementsOf } from "./requirements.ts";

export interface IndexedOffering {
  readonly offering: Offering;
  readonly requirements: Requirements;
}

export interface OfferingAnswer {
  readonly types: Bitset;
  /** By type; the cheapest first. */
  readonly offerings: readonly (readonly Offering[])[];
  readonly byCapacityType: ReadonlyMap<string, Bitset>;
  readonly prices: readonly number[];
  readonly order: readonly number[];
}

export function offeringAnswer(all: readonly (readonly IndexedOffering[])[], set: RequirementSet): OfferingAnswer {
  const offerings = all.map((own) => availableOf(own, set));
  const prices = offerings.map((available) => available[0]?.pricePerHour ?? Infinity);
  const types = emptyBitset(all.length);
  const byCapacityType = new Map<string, Bitset>();
  for (const [type, available] of offerings.entries()) {
    if (available.length > 0) add(types, type);
    for (const { capacityType } of available) {
      const bits = byCapacityType.get(capacityType) ?? emptyBitset(all.length);
      byCapacityType.set(capacityType, bits);
      add(bits, type);
    }
  }
  const order = [...all.keys()].sort((a, b) => compareNumbers(prices[a], prices[b]) || a - b);
  return { types, offerings, prices, order, byCapacityType };
}

export function indexedOffering(offering: Offering): IndexedOffering {
  const own = [valueRequirement(zoneLabel, offering.zone), valueRequirement(capacityTypeLabel, offering.capacityType)];
  const more = requirementsOf(offering.requirements ?? []);
  const requirements = intersectRequirements(new Map(own.map((requirement) => [requirement.key, requirement])), more);
  return { offering, requirements };
}

function availableOf(all: readonly IndexedOffering[], set: RequirementSet): readonly Offering[] {
  return all
    .filter(({ offering, requirements }) => offering.available && meets(requirements, set))
    .map(({ offering }) => offering)
    .sort(
      (a, b) => a.pricePerHour - b.pricePerHour || compare(a.capacityType, b.capacityType) || compare(a.zone, b.zone),
    );
}

function meets(offering: Requirements, set: RequirementSet): boolean {
  for (const own of offering.values()) {
    const asked = set.requirements.get(own.key);
    if (asked !== undefined && !overlaps(own, asked)) return false;
  }
  return true;
}

/** Infinity equals Infinity. */
function compareNumbers(a = 0, b = 0): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
