/**
 * Karpenter counterpart: pkg/controllers/provisioning/scheduling/nodeclaim.go, filterInstanceTypesByRequirements, which
 * looks at every type for every pod. It differs in method only. The types of a pool are sorted by name and numbered;
 * each question ("compatible with this requirement set?", "room for so much of this resource?", "an available offering
 * in one of these zones and capacity types?") has a bitset over them as its answer, made once and then looked up. A fit
 * is the intersection of a few bitsets.
 */
import type { InstanceType, Offering } from "../instance-type.ts";
import { add, type Bitset, both, emptyBitset, fullBitset, isEmpty, keep } from "./bitset.ts";
import { type IndexedOffering, indexedOffering, type OfferingAnswer, offeringAnswer } from "./offering-answer.ts";
import { overlaps, type Requirement } from "./requirement.ts";
import type { RequirementSet } from "./requirement-set.ts";
import { keyOfRequirement } from "./requirement-text.ts";
import { type Requirements, requirementsOf } from "./requirements.ts";
import type { Dimensions, ResourceVector } from "./resource-vector.ts";
import { ThresholdIndex } from "./threshold-index.ts";

export class InstanceTypeIndex {
  /** By name; a type's number is its place here. */
  readonly types: readonly InstanceType[];
  readonly allocatable: readonly ResourceVector[];
  readonly all: Bitset;
  readonly #requirements: readonly Requirements[];
  readonly #offerings: readonly (readonly IndexedOffering[])[];
  /** Labels that some type, or some offering, says something about. */
  readonly #typeKeys: ReadonlySet<string>;
  readonly #offeringKeys: ReadonlySet<string>;
  readonly #byDimension: readonly ThresholdIndex[];
  readonly #byCapacity = new Map<string, ThresholdIndex>();
  readonly #byRequirement = new Map<string, Bitset>();
  readonly #byOfferings = new Map<string, OfferingAnswer>();
  readonly #offeringAnswers = new Map<number, OfferingAnswer>();
  readonly #compatible = new Map<number, Bitset>();
  readonly #launchable = new Map<number, Bitset>();

  constructor(instanceTypes: readonly InstanceType[], dimensions: Dimensions) {
    this.types = [...instanceTypes].sort((a, b) => (a.name < b.name ? -1 : 1));
    this.all = fullBitset(this.types.length);
    this.allocatable = this.types.map((type) => dimensions.vectorOf(type.allocatable));
    this.#byDimension = dimensions.names.map(
      (name) => new ThresholdIndex(this.types.map((type) => type.allocatable[name] ?? 0)),
    );
    this.#requirements = this.types.map((type) => requirementsOf(type.requirements));
    this.#offerings = this.types.map((type) => type.offerings.map(indexedOffering));
    this.#typeKeys = keysOf(this.#requirements);
    this.#offeringKeys = keysOf(this.#offerings.flat().map(({ requirements }) => requirements));
  }

  requirementsOf(type: number): Requirements {
    return this.#requirements[type] ?? new Map();
  }

  /** Types whose labels can meet the set, offerings apart. A label that a type does not define does not matter. */
  compatible(set: RequirementSet): Bitset {
    const known = this.#compatible.get(set.id);
    if (known !== undefined) return known;
    const bits = this.all.slice();
    for (const requirement of set.requirements.values()) {
      if (this.#typeKeys.has(requirement.key)) keep(bits, this.meeting(requirement));
    }
    this.#compatible.set(set.id, bits);
    return bits;
  }

  /** Compatible types with an available offering whose zone, capacity type and the rest meet the set together. */
  launchable(set: RequirementSet): Bitset {
    const known = this.#launchable.get(set.id);
    if (known !== undefined) return known;
    const bits = both(this.compatible(set), this.offering(set));
    this.#launchable.set(set.id, bits);
    return bits;
  }

  /** Types with an available offering that meets the set. */
  offering(set: RequirementSet): Bitset {
    return this.#offeringAnswer(set).types;
  }

  /** Per hour, of the type's cheapest available offering that meets the set; Infinity when there is none. */
  price(type: number, set: RequirementSet): number {
    return this.#offeringAnswer(set).prices[type] ?? Infinity;
  }

  /** All types by `price`, then by name. */
  priceOrder(set: RequirementSet): readonly number[] {
    return this.#offeringAnswer(set).order;
  }

  /** Those that can be had now and meet the set; the cheapest first, then by capacity type and zone. */
  availableOfferings(type: number, set: RequirementSet): readonly Offering[] {
    return this.#offeringAnswer(set).offerings[type] ?? [];
  }

  /** Capacity types in which some of `types` can be had now under the set, sorted. */
  capacityTypes(types: Bitset, set: RequirementSet): readonly string[] {
    const { byCapacityType } = this.#offeringAnswer(set);
    return [...byCapacityType].flatMap(([name, bits]) => (isEmpty(both(types, bits)) ? [] : [name])).sort();
  }

  #offeringAnswer(set: RequirementSet): OfferingAnswer {
    const known = this.#offeringAnswers.get(set.id);
    if (known !== undefined) return known;
    const asked = [...set.requirements.values()].filter(({ key }) => this.#offeringKeys.has(key));
    const text = asked.map(keyOfRequirement).sort().join("");
    const answer = this.#byOfferings.get(text) ?? offeringAnswer(this.#offerings, set);
    this.#byOfferings.set(text, answer);
    this.#offeringAnswers.set(set.id, answer);
    return answer;
  }

  /** Types whose own label can meet one requirement. */
  meeting(requirement: Requirement): Bitset {
    const text = keyOfRequirement(requirement);
    const known = this.#byRequirement.get(text);
    if (known !== undefined) return known;
    const bits = emptyBitset(this.types.length);
    for (const [type, requirements] of this.#requirements.entries()) {
      const own = requirements.get(requirement.key);
      if (own === undefined || overlaps(own, requirement)) add(bits, type);
    }
    this.#byRequirement.set(text, bits);
    return bits;
  }

  /** into ∩= the types with room for `amounts`. */
  keepFitting(into: Bitset, amounts: ResourceVector): void {
    for (let d = 0; d < amounts.length; d++) {
      const amount = amounts[d] ?? 0;
      const thresholds = this.#byDimension[d];
      if (amount > 0 && thresholds !== undefined) keep(into, thresholds.atLeast(amount));
    }
  }

  /** Types whose whole capacity of one resource is at most `amount`. The caller must not change the result. */
  withCapacityAtMost(resource: string, amount: number): Bitset {
    let thresholds = this.#byCapacity.get(resource);
    if (thresholds === undefined) {
      thresholds = new ThresholdIndex(this.types.map((type) => type.capacity[resource] ?? 0));
      this.#byCapacity.set(resource, thresholds);
    }
    return thresholds.atMost(amount);
  }
}

function keysOf(all: readonly Requirements[]): ReadonlySet<string> {
  return new Set(all.flatMap((requirements) => [...requirements.keys()]));
}
