/**
 * Karpenter counterpart: pkg/providers/instancetype/offering. It differs: reserved offerings are not there yet, and a
 * type that no image of the class can boot offers nothing (Karpenter finds out at the launch).
 */

import type { Offering } from "#core/instance-type.ts";
import { isUnavailable } from "#core/state/unavailable-offerings.ts";
import type { CatalogueType } from "./catalogue.ts";
import type { ClassZone } from "./type-requirements.ts";

/** An offering for each zone of the region that has the type and each way to buy it; by zone, then capacity type. */
export function typeOfferings(
  type: CatalogueType,
  zones: readonly ClassZone[],
  canBoot: boolean,
  state: Readonly<Record<string, string>>,
  nowMs: number,
): readonly Offering[] {
  return [...type.zones].sort().flatMap((zone) => {
    const own = zones.find((candidate) => candidate.zone === zone);
    return type.usageClasses.map((capacityType) => {
      const price = capacityType === "spot" ? type.spotPerHour[zone] : type.onDemandPerHour;
      const resting = isUnavailable(state, { instanceType: type.name, zone, capacityType }, nowMs);
      return {
        zone,
        capacityType,
        pricePerHour: price ?? 0,
        available: canBoot && own !== undefined && price !== undefined && !resting,
        ...(own === undefined ? {} : { requirements: own.requirements }),
      };
    });
  });
}
