/**
 * Karpenter counterpart: pkg/providers/instance/filter/filter.go, the filters of capacity reservations. No difference: one
 * kind of reservation a launch, a capacity block alone, and of several reservations in a zone the one with most left.
 */
import type { Offering } from "#core/instance-type.ts";
import { reservationInterruptibleLabel, reservationTypeLabel } from "../labels.ts";
import { type Candidate, candidateWith } from "./candidates.ts";

/** Karpenter: which kind comes first where the price is the same. */
const kinds = ["default", "capacity-block", "interruptible"] as const;

interface Choice {
  readonly candidate: Candidate;
  readonly offering: Offering;
}

/** The candidates with the reserved offerings of one launch and no others; all of them where none is reserved. */
export function withReservationsFirst(candidates: readonly Candidate[]): readonly Candidate[] {
  const reserved: Choice[] = [];
  for (const candidate of candidates) {
    for (const offering of candidate.offerings) {
      if (offering.capacityType === "reserved") reserved.push({ candidate, offering });
    }
  }
  const [cheapest] = [...reserved].sort(byPriceAndKind);
  if (cheapest === undefined) return candidates;
  const kind = kindOf(cheapest.offering);
  const same = reserved.filter(({ offering }) => kindOf(offering) === kind);
  // EC2 takes one block a request.
  const chosen = kind === "capacity-block" ? [cheapest] : fullestOfZones(same);
  return candidates.flatMap((candidate) => {
    const offerings = candidate.offerings.filter((offering) => chosen.some((choice) => choice.offering === offering));
    return candidateWith(candidate, offerings) ?? [];
  });
}

function fullestOfZones(choices: readonly Choice[]): readonly Choice[] {
  const byZone = new Map<string, Choice>();
  const sorted = [...choices].sort(
    (a, b) => (b.offering.reservationCapacity ?? 0) - (a.offering.reservationCapacity ?? 0) || byPriceAndKind(a, b),
  );
  for (const choice of sorted) if (!byZone.has(choice.offering.zone)) byZone.set(choice.offering.zone, choice);
  return [...byZone.values()];
}

function byPriceAndKind(a: Choice, b: Choice): number {
  return (
    a.offering.pricePerHour - b.offering.pricePerHour ||
    kinds.indexOf(kindOf(a.offering)) - kinds.indexOf(kindOf(b.offering)) ||
    ((a.offering.reservationId ?? "") < (b.offering.reservationId ?? "") ? -1 : 1)
  );
}

function kindOf({ requirements = [] }: Offering): (typeof kinds)[number] {
  const labelValue = (label: string): string | undefined => requirements.find(({ key }) => key === label)?.values?.[0];
  if (labelValue(reservationTypeLabel) === "capacity-block") return "capacity-block";
  return labelValue(reservationInterruptibleLabel) === "true" ? "interruptible" : "default";
}
