/**
 * Karpenter counterpart: pkg/providers/capacityreservation and pkg/controllers/nodeclass/capacityreservation.go. It
 * differs: what a reservation has left is read with it each minute, not counted in memory.
 */
import type {
  CapacityReservationSelectorTerm,
  EC2NodeClassSpec,
  EC2NodeClassStatus,
} from "#api/ec2-v1/ec2nodeclass.ts";
import { parseTime } from "#api/time.ts";
import type { CapacityReservation, Filter, FilterQuery } from "../view.ts";
import { distinctQueries, filterQuery, tagFilters } from "./filter-query.ts";

export type ReservationStatus = NonNullable<EC2NodeClassStatus["capacityReservations"]>[number];

/** Karpenter: capacity blocks are left 40 minutes before their end; EC2 begins to take them back 30 minutes before. */
const expiringMs = 40 * 60_000;
const active: Filter = { name: "state", values: ["active"] };

/** An id is asked for alone, since EC2 takes ids or filters. */
export function capacityReservationQueries(spec: EC2NodeClassSpec): readonly FilterQuery[] {
  return distinctQueries((spec.capacityReservationSelectorTerms ?? []).map(queryOf));
}

function queryOf({ id, tags, ownerID, instanceMatchCriteria }: CapacityReservationSelectorTerm): FilterQuery {
  if (id !== undefined) return filterQuery([{ name: "reservation-id", values: [id] }, active]);
  return filterQuery([
    ...tagFilters(tags ?? {}),
    ...(ownerID === undefined ? [] : [{ name: "owner-id", values: [ownerID] }]),
    ...(instanceMatchCriteria === undefined
      ? []
      : [{ name: "instance-match-criteria", values: [instanceMatchCriteria] }]),
    active,
  ]);
}

/** For the class's status, by id; ended ones and kinds that are not known are left out. */
export function reservationStatus(found: readonly CapacityReservation[], nowMs: number): readonly ReservationStatus[] {
  return found.flatMap((reservation): ReservationStatus[] => {
    const { id, instanceType, zone, ownerId, matchCriteria, reservationType, interruptible, endAt } = reservation;
    const endMs = parseTime(endAt);
    if (endMs !== undefined && endMs <= nowMs) return [];
    if (matchCriteria !== "open" && matchCriteria !== "targeted") return [];
    if (reservationType !== "default" && reservationType !== "capacity-block") return [];
    const expiring = reservationType === "capacity-block" && endMs !== undefined && nowMs >= endMs - expiringMs;
    return [
      {
        ...{ id, instanceType, availabilityZone: zone, ownerID: ownerId, instanceMatchCriteria: matchCriteria },
        ...{ reservationType, interruptible, state: expiring ? "expiring" : "active" },
        ...(endAt === undefined ? {} : { endTime: endAt }),
      },
    ];
  });
}

/** How EC2 buys from it. */
export function reservationKind({
  reservationType,
  interruptible,
}: ReservationStatus): "default" | "capacity-block" | "interruptible" {
  if (reservationType === "capacity-block") return "capacity-block";
  return interruptible === true ? "interruptible" : "default";
}
