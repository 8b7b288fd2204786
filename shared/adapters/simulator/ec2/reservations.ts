import type { CapacityReservation, FilterQuery, PlacementGroup } from "#ec2/view.ts";
import { passes } from "./filter.ts";
import { hexId } from "./seeded-draw.ts";

/** A capacity reservation of the account, with the tags that selectors find it by. */
export interface ReservationRecord {
  readonly reservation: CapacityReservation;
  readonly tags: Readonly<Record<string, string>>;
}

/** Capacity reservations, and placement groups: those exist in an obliging account under every name and id asked for. */
export class Reservations {
  readonly #obliging: boolean;
  readonly #records = new Map<string, ReservationRecord>();
  readonly #taken = new Map<string, number>();

  constructor(obliging: boolean) {
    this.#obliging = obliging;
  }

  add(record: ReservationRecord): void {
    this.#records.set(record.reservation.id, record);
  }

  /** With what they have left; by id. */
  describe(query: FilterQuery): readonly CapacityReservation[] {
    return [...this.#records.values()]
      .filter(({ reservation, tags }) => passes({ attributes: attributesOf(reservation), tags }, query.filters))
      .map(({ reservation }) => ({ ...reservation, availableCount: this.#left(reservation) }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  describeGroups(query: FilterQuery): readonly PlacementGroup[] {
    if (!this.#obliging) return [];
    return query.filters.flatMap(({ name, values }) =>
      values.map((value) => ({
        id: name === "group-id" ? value : hexId("pg", value),
        name: value,
        strategy: "cluster",
      })),
    );
  }

  /** True when the reservation has an instance of this type in this zone to give. */
  has(id: string, instanceType: string, zone: string): boolean {
    const found = this.#records.get(id)?.reservation;
    return found?.instanceType === instanceType && found.zone === zone && this.#left(found) > 0;
  }

  take(id: string): void {
    this.#taken.set(id, (this.#taken.get(id) ?? 0) + 1);
  }

  giveBack(id: string): void {
    this.#taken.set(id, (this.#taken.get(id) ?? 0) - 1);
  }

  #left({ id, availableCount }: CapacityReservation): number {
    return availableCount - (this.#taken.get(id) ?? 0);
  }
}

function attributesOf({ id, ownerId, matchCriteria }: CapacityReservation): Readonly<Record<string, string>> {
  return { "reservation-id": id, "owner-id": ownerId, "instance-match-criteria": matchCriteria, state: "active" };
}
