/**
 * Capacity that was paid for in advance, counted over all claims of a batch. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/reservationmanager.go and nodeclaim.go, offeringsToReserve. As there, a claim
 * holds one unit of every reservation that it may still be launched into, and gives back what it no longer can use. It
 * differs: a reservation with nothing left offers nothing; claims that wait for their launch hold theirs; a claim that
 * may go without one is narrowed to what it can be without.
 */
import { capacityTypeLabel } from "#api/karpenter-v1/labels.ts";
import type { InstanceType, Offering } from "../../instance-type.ts";
import { requirementOf } from "../requirements/requirement.ts";
import type { RequirementSet, RequirementSets } from "../requirements/requirement-set.ts";
import { type Bitset, both, isEmpty } from "./bitset.ts";
import type { InstanceTypeIndex } from "./instance-type-index.ts";

/**
 * `strict`: a claim that could be reserved is reserved, or its pods wait. `fallback`: it may become something else, as in
 * simulations. `off`: reserved offerings are like any other.
 */
export type ReservedMode = "strict" | "fallback" | "off";

/** Identifiers of reservations. */
export type Held = ReadonlySet<string>;
export const nothingHeld: Held = new Set();

/** A claim with what it may become and which reservations it then holds. */
export interface Settled {
  readonly set: RequirementSet;
  readonly types: Bitset;
  readonly held: Held;
}

const reserved = "reserved";
const notReserved = new Map([
  [capacityTypeLabel, requirementOf({ key: capacityTypeLabel, operator: "NotIn", values: [reserved] })],
]);

export class Reservations {
  readonly #mode: ReservedMode;
  readonly #left = new Map<string, number>();

  /** `waiting`: for each claim that is not launched yet, the reservations that it names. */
  constructor(mode: ReservedMode, offers: readonly (readonly InstanceType[])[], waiting: readonly Held[]) {
    this.#mode = mode;
    if (mode === "off") return;
    for (const types of offers) {
      for (const { offerings } of types) {
        for (let i = 0; i < offerings.length; i++) this.#count(offerings[i]);
      }
    }
    for (const held of waiting) this.exchange(nothingHeld, new Set([...held].filter((id) => this.#left.has(id))));
  }

  /** No reservation anywhere: nothing has to be asked. */
  get none(): boolean {
    return this.#left.size === 0;
  }

  /** Undefined: its pods would lose the reserved capacity that they could have. */
  settle(
    set: RequirementSet,
    types: Bitset,
    held: Held,
    index: InstanceTypeIndex,
    sets: RequirementSets,
  ): Settled | undefined {
    if (this.none) return { set, types, held: nothingHeld };
    const usable = [...index.reservations(set)].flatMap(([id, own]) => (isEmpty(both(own, types)) ? [] : [id]));
    const free = usable.filter((id) => held.has(id) || (this.#left.get(id) ?? 0) > 0);
    if (free.length > 0) return { set, types, held: new Set(free) };
    if (usable.length === 0 && held.size === 0) return { set, types, held: nothingHeld };
    return this.#mode === "strict" ? undefined : without(set, types, index, sets);
  }

  exchange(before: Held, after: Held): void {
    for (const id of before) if (!after.has(id)) this.#left.set(id, (this.#left.get(id) ?? 0) + 1);
    for (const id of after) if (!before.has(id)) this.#left.set(id, (this.#left.get(id) ?? 0) - 1);
  }

  /** Two pools may have been told different numbers: the smaller one holds. */
  #count(offering: Offering | undefined): void {
    if (offering?.reservationId === undefined || offering.capacityType !== reserved) return;
    const { reservationId, reservationCapacity = 0 } = offering;
    this.#left.set(reservationId, Math.min(this.#left.get(reservationId) ?? Infinity, reservationCapacity));
  }
}

function without(
  set: RequirementSet,
  types: Bitset,
  index: InstanceTypeIndex,
  sets: RequirementSets,
): Settled | undefined {
  const narrowed = sets.narrow(set, sets.intern(notReserved));
  if (narrowed === undefined) return undefined;
  const left = both(types, index.launchable(narrowed));
  return isEmpty(left) ? undefined : { set: narrowed, types: left, held: nothingHeld };
}
