/**
 * What the offerings of all instance types say to one set of requirements; made once a set. Karpenter counterpart:
 * pkg/cloudprovider/types.go, Offerings.Available, Compatible and Cheapest.
 */
import { capacityTypeLabel, capacityTypes, zoneLabel } from "#api/karpenter-v1/labels.ts";
import type { InstanceType, Offering } from "../../instance-type.ts";
import { overlaps, valueRequirement } from "../requirements/requirement.ts";
import type { RequirementSet } from "../requirements/requirement-set.ts";
import { intersectRequirements, type Requirements, requirementsOf } from "../requirements/requirements.ts";
import { add, type Bitset, emptyBitset, include } from "./bitset.ts";

/** Offerings that ask the same of a node: one zone, one capacity type, and what else they name. */
interface OfferingKind {
  readonly offering: Offering;
  readonly requirements: Requirements;
  /** That have such an offering. */
  readonly types: Bitset;
}

/** The offerings of all types that can be had. */
export class IndexedOfferings {
  readonly #byType: readonly (readonly Offering[])[];
  /** For each of them, the number of its kind. */
  readonly #kindsByType: readonly (readonly number[])[];
  readonly #kinds: OfferingKind[] = [];
  readonly #size: number;
  /** By zone, then by what else it asks. */
  readonly #numbers = new Map<string, Map<string, number>>();
  /** The last order by price: the next one differs little. */
  #order: readonly number[];

  constructor(types: readonly InstanceType[]) {
    this.#size = types.length;
    this.#byType = types.map(({ offerings }) => (offerings.every(canBeHad) ? offerings : offerings.filter(canBeHad)));
    this.#kindsByType = this.#byType.map((offerings, type) => {
      const kinds: number[] = [];
      for (let i = 0; i < offerings.length; i++) {
        const offering = offerings[i];
        if (offering !== undefined) kinds.push(this.#noteKind(offering, type));
      }
      return kinds;
    });
    this.#order = [...types.keys()];
  }

  /** Labels that some offering says something about. */
  get keys(): ReadonlySet<string> {
    return new Set(this.#kinds.flatMap(({ requirements }) => [...requirements.keys()]));
  }

  answer(set: RequirementSet): OfferingAnswer {
    const meeting = this.#kinds.map(({ requirements }) => meets(requirements, set));
    const types = emptyBitset(this.#byType.length);
    const prices: number[] = [];
    for (let type = 0; type < this.#byType.length; type++) {
      const price = this.#lowestPrice(type, meeting);
      if (price < Infinity) add(types, type);
      prices.push(price);
    }
    if (!isInOrder(this.#order, prices)) {
      this.#order = [...this.#order].sort((a, b) => compareNumbers(prices[a], prices[b]) || a - b);
    }
    const offeringsOf = (type: number): readonly Offering[] =>
      (this.#byType[type] ?? []).filter((_, i) => meeting[this.#kindsByType[type]?.[i] ?? -1] === true).sort(byPrice);
    const kinds = this.#kinds.filter((_, kind) => meeting[kind] === true);
    return new OfferingAnswer(types, prices, this.#order, kinds, offeringsOf);
  }

  #lowestPrice(type: number, meeting: readonly boolean[]): number {
    const kinds = this.#kindsByType[type] ?? [];
    const offerings = this.#byType[type];
    let lowest = Infinity;
    for (let i = 0; i < kinds.length; i++) {
      const price = offerings?.[i]?.pricePerHour ?? Infinity;
      if (price < lowest && meeting[kinds[i] ?? -1] === true) lowest = price;
    }
    return lowest;
  }

  #noteKind(offering: Offering, type: number): number {
    const { zone, capacityType, reservationId, requirements } = offering;
    const more =
      reservationId === undefined && requirements === undefined ? "" : JSON.stringify([reservationId, requirements]);
    const text = more === "" ? capacityType : `${capacityType} ${more}`;
    let ofZone = this.#numbers.get(zone);
    if (ofZone === undefined) {
      ofZone = new Map();
      this.#numbers.set(zone, ofZone);
    }
    let number = ofZone.get(text);
    if (number === undefined) {
      number = this.#kinds.length;
      ofZone.set(text, number);
      const types = emptyBitset(this.#size);
      this.#kinds.push({ offering, requirements: requirementsOfOffering(offering), types });
    }
    const kind = this.#kinds[number];
    if (kind !== undefined) add(kind.types, type);
    return number;
  }
}

export class OfferingAnswer {
  readonly types: Bitset;
  /** Of each type's cheapest. */
  readonly prices: readonly number[];
  /** All types by price. */
  readonly order: readonly number[];
  /** Those that meet the set. */
  readonly kinds: readonly OfferingKind[];
  readonly #find: (type: number) => readonly Offering[];
  readonly #found = new Map<number, readonly Offering[]>();
  #typesByZone: ReadonlyMap<string, Bitset> | undefined;

  constructor(
    types: Bitset,
    prices: readonly number[],
    order: readonly number[],
    kinds: readonly OfferingKind[],
    find: (type: number) => readonly Offering[],
  ) {
    this.types = types;
    this.prices = prices;
    this.order = order;
    this.kinds = kinds;
    this.#find = find;
  }

  /** The cheapest first, then by capacity type and zone. */
  offeringsOf(type: number): readonly Offering[] {
    const known = this.#found.get(type) ?? this.#find(type);
    this.#found.set(type, known);
    return known;
  }

  get typesByZone(): ReadonlyMap<string, Bitset> {
    this.#typesByZone ??= this.typesBy(({ zone }) => zone);
    return this.#typesByZone;
  }

  /** Types by a name that their offerings have. */
  typesBy(nameOf: (offering: Offering) => string | undefined): ReadonlyMap<string, Bitset> {
    const byName = new Map<string, Bitset>();
    for (const { offering, types } of this.kinds) {
      const name = nameOf(offering);
      if (name === undefined) continue;
      const bits = byName.get(name) ?? emptyBitset(this.prices.length);
      byName.set(name, bits);
      include(bits, types);
    }
    return byName;
  }
}

/** In the order of prices, then of numbers. */
function isInOrder(order: readonly number[], prices: readonly number[]): boolean {
  for (let i = 1; i < order.length; i++) {
    const before = order[i - 1] ?? 0;
    const type = order[i] ?? 0;
    const lower = prices[before] ?? 0;
    const price = prices[type] ?? 0;
    if (lower > price || (lower === price && before > type)) return false;
  }
  return true;
}

function requirementsOfOffering({ zone, capacityType, requirements = [] }: Offering): Requirements {
  const own = [valueRequirement(zoneLabel, zone), valueRequirement(capacityTypeLabel, capacityType)];
  return intersectRequirements(
    new Map(own.map((requirement) => [requirement.key, requirement])),
    requirementsOf(requirements),
  );
}

/** A reservation with nothing left offers nothing, whatever else is said of it. */
function canBeHad({ available, reservationId, reservationCapacity = 0 }: Offering): boolean {
  return available && (reservationId === undefined || reservationCapacity > 0);
}

function meets(offering: Requirements, set: RequirementSet): boolean {
  for (const own of offering.values()) {
    const asked = set.requirements.get(own.key);
    if (asked !== undefined && !overlaps(own, asked)) return false;
  }
  return true;
}

/** Of equal prices the capacity type that a launch would take: reserved before spot before on-demand. */
function byPrice(a: Offering, b: Offering): number {
  return a.pricePerHour - b.pricePerHour || capacityTypeRank(a) - capacityTypeRank(b) || compare(a.zone, b.zone);
}

function capacityTypeRank({ capacityType }: Offering): number {
  return (capacityTypes as readonly string[]).indexOf(capacityType);
}

/** Infinity equals Infinity. */
function compareNumbers(a = 0, b = 0): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
