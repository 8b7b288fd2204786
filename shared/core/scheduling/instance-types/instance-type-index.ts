/**
 * Karpenter counterpart: pkg/controllers/provisioning/scheduling/nodeclaim.go, filterInstanceTypesByRequirements, which
 * looks at every type for every pod. It differs in method only. The types of a pool are sorted by name and numbered;
 * each question ("compatible with this requirement set?", "room for so much of this resource?", "an available offering
 * in one of these zones and capacity types?") has a bitset over them as its answer, made once and then looked up. A fit
 * is the intersection of a few bitsets.
 */
import type { InstanceType, Offering } from "../../instance-type.ts";
import type { Requirement } from "../requirements/requirement.ts";
import type { RequirementSet } from "../requirements/requirement-set.ts";
import { keyOfRequirement } from "../requirements/requirement-text.ts";
import type { Dimensions, ResourceVector } from "../resources/resource-vector.ts";
import { type Bitset, both, fullBitset, intersects, isEmpty, keep } from "./bitset.ts";
import { IndexedOfferings, type OfferingAnswer } from "./offering-answer.ts";
import { ThresholdIndex } from "./threshold-index.ts";
import { TypeLabels } from "./type-labels.ts";

export class InstanceTypeIndex {
  /** By name; a type's number is its place here. */
  readonly types: readonly InstanceType[];
  readonly allocatable: readonly ResourceVector[];
  readonly all: Bitset;
  readonly #labels: TypeLabels;
  readonly #offerings: IndexedOfferings;
  readonly #offeringKeys: ReadonlySet<string>;
  readonly #byDimension = new Map<number, ThresholdIndex>();
  readonly #byCapacity = new Map<string, ThresholdIndex>();
  readonly #capacityOrder = new Map<string, readonly number[]>();
  readonly #byRequirement = new Map<string, Bitset>();
  readonly #byOfferings = new Map<string, OfferingAnswer>();
  readonly #offeringAnswers = new Map<number, OfferingAnswer>();
  readonly #compatible = new Map<number, Bitset>();
  readonly #launchable = new Map<number, Bitset>();

  constructor(instanceTypes: readonly InstanceType[], dimensions: Dimensions) {
    this.types = [...instanceTypes].sort((a, b) => (a.name < b.name ? -1 : 1));
    this.all = fullBitset(this.types.length);
    this.allocatable = this.types.map((type) => dimensions.roomOf(type.allocatable, type.volumeLimits));
    this.#labels = new TypeLabels(this.types);
    this.#offerings = new IndexedOfferings(this.types);
    this.#offeringKeys = this.#offerings.keys;
  }

  /** What a type says of a label; undefined: nothing. */
  labelOf(type: number, key: string): Requirement | undefined {
    return this.#labels.of(type, key);
  }

  /** Types whose labels can meet the set, offerings apart. A label that a type does not define does not matter. */
  compatible(set: RequirementSet): Bitset {
    const known = this.#compatible.get(set.id);
    if (known !== undefined) return known;
    const bits = this.all.slice();
    for (const requirement of set.requirements.values()) {
      keep(bits, this.meeting(requirement));
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
    return this.prices(set)[type] ?? Infinity;
  }

  /** `price` by type. */
  prices(set: RequirementSet): readonly number[] {
    return this.#offeringAnswer(set).prices;
  }

  /** All types by `price`, then by name. */
  priceOrder(set: RequirementSet): readonly number[] {
    return this.#offeringAnswer(set).order;
  }

  /** Those that can be had now and meet the set; the cheapest first, then reserved, spot, on-demand, then by zone. */
  availableOfferings(type: number, set: RequirementSet): readonly Offering[] {
    return this.#offeringAnswer(set).offeringsOf(type);
  }

  /** One offering of each kind that some launchable type has under the set. */
  offeringKinds(set: RequirementSet): readonly Offering[] {
    const launchable = this.launchable(set);
    const kinds = this.#offeringAnswer(set).kinds.filter(({ types }) => intersects(types, launchable));
    return kinds.map(({ offering }) => offering);
  }

  /** Capacity types in which some of `types` can be had now under the set, sorted. */
  capacityTypes(types: Bitset, set: RequirementSet): readonly string[] {
    const byCapacityType = this.#offeringAnswer(set).typesBy(({ capacityType }) => capacityType);
    return [...byCapacityType].flatMap(([name, bits]) => (isEmpty(both(types, bits)) ? [] : [name])).sort();
  }

  /** In how many zones some of `types` can be had now under the set. */
  zoneCount(types: Bitset, set: RequirementSet): number {
    let count = 0;
    for (const bits of this.#offeringAnswer(set).typesByZone.values()) if (intersects(bits, types)) count++;
    return count;
  }

  /** By reservation, the types that can be launched into it under the set. */
  reservations(set: RequirementSet): ReadonlyMap<string, Bitset> {
    return this.#offeringAnswer(set).typesBy(({ reservationId }) => reservationId);
  }

  #offeringAnswer(set: RequirementSet): OfferingAnswer {
    const known = this.#offeringAnswers.get(set.id);
    if (known !== undefined) return known;
    const asked = [...set.requirements.values()].filter(({ key }) => this.#offeringKeys.has(key));
    const text = asked.map(keyOfRequirement).sort().join("");
    const answer = this.#byOfferings.get(text) ?? this.#offerings.answer(set);
    this.#byOfferings.set(text, answer);
    this.#offeringAnswers.set(set.id, answer);
    return answer;
  }

  /** Types whose own label can meet one requirement. */
  meeting(requirement: Requirement): Bitset {
    const text = keyOfRequirement(requirement);
    const known = this.#byRequirement.get(text);
    if (known !== undefined) return known;
    const bits = this.#labels.meeting(requirement);
    this.#byRequirement.set(text, bits);
    return bits;
  }

  /** into ∩= the types with room for `amounts`. */
  keepFitting(into: Bitset, amounts: ResourceVector): void {
    for (let d = 0; d < amounts.length; d++) {
      const amount = amounts[d] ?? 0;
      if (amount > 0) this.#thresholdsOf(d).keepAtLeast(into, amount);
    }
  }

  /** All types by their capacity of one resource, the largest first. */
  byCapacity(resource: string): readonly number[] {
    const known = this.#capacityOrder.get(resource);
    if (known !== undefined) return known;
    const amounts = this.types.map((type) => type.capacity[resource] ?? 0);
    const order = [...amounts.keys()].sort((a, b) => (amounts[b] ?? 0) - (amounts[a] ?? 0) || a - b);
    this.#capacityOrder.set(resource, order);
    return order;
  }

  /** into ∩= the types whose whole capacity of one resource is at most `amount` */
  keepCapacityAtMost(into: Bitset, resource: string, amount: number): void {
    let thresholds = this.#byCapacity.get(resource);
    if (thresholds === undefined) {
      thresholds = new ThresholdIndex(this.types.map((type) => type.capacity[resource] ?? 0));
      this.#byCapacity.set(resource, thresholds);
    }
    thresholds.keepAtMost(into, amount);
  }

  #thresholdsOf(dimension: number): ThresholdIndex {
    const known = this.#byDimension.get(dimension);
    if (known !== undefined) return known;
    const made = new ThresholdIndex(this.allocatable.map((room) => room[dimension] ?? 0));
    this.#byDimension.set(dimension, made);
    return made;
  }
}
