/**
 * Karpenter counterpart: pkg/providers/instancetype/offering. It differs: a type that no image of the class can boot
 * offers nothing (Karpenter finds out at the launch), and what a reservation has left is what EC2 said last.
 */
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import type { Offering } from "#core/instance-type.ts";
import { isUnavailable } from "#core/state/unavailable-offerings.ts";
import {
  reservationIdLabel,
  reservationInterruptibleLabel,
  reservationLabels,
  reservationTypeLabel,
} from "../labels.ts";
import type { ReservationStatus } from "../node-class/capacity-reservations.ts";
import type { CatalogueType } from "./catalogue.ts";
import type { ClassZone } from "./type-requirements.ts";

/** Karpenter: a reservation is paid for already; the quotient keeps the order of prices. */
const reservedPriceDivisor = 10_000_000;
const withoutReservation: readonly RequirementSpec[] = reservationLabels.map((key) => ({
  key,
  operator: "DoesNotExist",
}));

/** What offerings of a type depend on beside the type. */
export interface OfferingContext {
  readonly zones: readonly ClassZone[];
  /** Zones in which no subnet has an address left. */
  readonly fullZones: ReadonlySet<string>;
  readonly reservations: readonly ReservationStatus[];
  /** Instances that each reservation can still give, by its id. */
  readonly reservationsLeft: Readonly<Record<string, number>>;
  readonly state: Readonly<Record<string, string>>;
  readonly nowMs: number;
}

/**
 * An offering for each zone of the region that has the type and each way to buy it, by zone, then capacity type; then
 * those of its reservations.
 */
export function typeOfferings(type: CatalogueType, canBoot: boolean, context: OfferingContext): readonly Offering[] {
  const { zones, fullZones, state, nowMs } = context;
  const bought = [...type.zones].sort().flatMap((zone) => {
    const own = zones.find((candidate) => candidate.zone === zone);
    const isFull = fullZones.has(zone);
    return type.usageClasses.map((capacityType) => {
      const price = capacityType === "spot" ? type.spotPerHour[zone] : type.onDemandPerHour;
      const isRefused = isUnavailable(state, { instanceType: type.name, zone, capacityType }, nowMs);
      return {
        zone,
        capacityType,
        pricePerHour: price ?? 0,
        available: canBoot && own !== undefined && price !== undefined && !isFull && !isRefused,
        ...(own === undefined ? {} : { requirements: own.requirements }),
      };
    });
  });
  return [...bought, ...reservedOfferings(type, canBoot, context)];
}

/** What every offering in a zone requires beyond it; those of a reservation require theirs instead of none. */
export function zoneRequirements(
  zoneId: readonly RequirementSpec[],
  hasReservations: boolean,
): readonly RequirementSpec[] {
  return hasReservations ? [...zoneId, ...withoutReservation] : zoneId;
}

function reservedOfferings(type: CatalogueType, canBoot: boolean, context: OfferingContext): readonly Offering[] {
  const { zones, fullZones, reservations, reservationsLeft, state, nowMs } = context;
  return reservations.flatMap((reservation) => {
    const {
      id,
      instanceType,
      availabilityZone: zone,
      reservationType = "default",
      interruptible = false,
    } = reservation;
    if (instanceType !== type.name) return [];
    const own = zones.find((candidate) => candidate.zone === zone);
    const isRefused = isUnavailable(state, { instanceType, zone, capacityType: "reserved" }, nowMs);
    const left = reservationsLeft[id] ?? 0;
    const isOpen = left > 0 && reservation.state !== "expiring" && !fullZones.has(zone) && !isRefused;
    const requirements: readonly RequirementSpec[] = [
      ...(own?.zoneIdRequirements ?? []),
      { key: reservationIdLabel, operator: "In", values: [id] },
      { key: reservationTypeLabel, operator: "In", values: [reservationType] },
      { key: reservationInterruptibleLabel, operator: "In", values: [String(interruptible)] },
    ];
    return [
      {
        ...{ zone, capacityType: "reserved", pricePerHour: (type.onDemandPerHour ?? 0) / reservedPriceDivisor },
        ...{ available: canBoot && own !== undefined && isOpen, requirements },
        ...{ reservationId: id, reservationCapacity: left },
      },
    ];
  });
}
