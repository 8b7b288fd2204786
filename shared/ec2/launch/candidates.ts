/**
 * Karpenter counterpart: pkg/providers/instance/filter/filter.go, the compatible-available filter. No difference.
 */
import { capacityTypeLabel, zoneLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import { quantityToInteger } from "#api/quantity.ts";
import type { InstanceType, Offering, Resources } from "#core/instance-type.ts";
import { firstConflict, type Requirements, requirementsOf } from "#core/scheduling/requirements.ts";

/** A type that the claim can use, with the offerings that can be had now, cheapest first; at least one. */
export interface Candidate {
  readonly instanceType: InstanceType;
  readonly requirements: Requirements;
  readonly offerings: readonly Offering[];
}

const compiled = new WeakMap<readonly RequirementSpec[], Requirements>();

/** A type's requirements compiled; remembered as long as the list is. */
function requirementsOfType({ requirements: specs }: InstanceType): Requirements {
  const known = compiled.get(specs);
  if (known !== undefined) return known;
  const requirements = requirementsOf(specs);
  compiled.set(specs, requirements);
  return requirements;
}

/** Cheapest first, then by name. */
export function candidatesOf(claim: NodeClaim, instanceTypes: readonly InstanceType[]): readonly Candidate[] {
  const wanted = requirementsOf(claim.spec.requirements);
  const requests = requestsOf(claim);
  const meets = offeringCheck(wanted);
  const candidates: Candidate[] = [];
  for (const instanceType of instanceTypes) {
    if (!fits(requests, instanceType.allocatable)) continue;
    const requirements = requirementsOfType(instanceType);
    if (firstConflict(requirements, wanted) !== undefined) continue;
    const offerings = instanceType.offerings.filter((offering) => offering.available && meets(offering));
    if (offerings.length === 0) continue;
    candidates.push({ instanceType, requirements, offerings: [...offerings].sort(byPrice) });
  }
  return candidates.sort(byCheapest);
}

/** The claim's requests in the scheduler's units; what cannot be read counts as 0 (validation refuses it earlier). */
export function requestsOf(claim: NodeClaim): Resources {
  const requests = claim.spec.resources?.requests ?? {};
  return Object.fromEntries(
    Object.entries(requests).map(([name, text]) => [name, quantityToInteger(name, text, "up") ?? 0]),
  );
}

export function cheapestOf({ offerings }: Candidate): number {
  return offerings[0]?.pricePerHour ?? Number.POSITIVE_INFINITY;
}

export function byCheapest(a: Candidate, b: Candidate): number {
  return cheapestOf(a) - cheapestOf(b) || (a.instanceType.name < b.instanceType.name ? -1 : 1);
}

function fits(requests: Resources, allocatable: Resources): boolean {
  return Object.entries(requests).every(([name, amount]) => amount <= (allocatable[name] ?? 0));
}

/** Offerings of many types say the same of zone and capacity type (and share the list), so each is judged once. */
function offeringCheck(wanted: Requirements): (offering: Offering) => boolean {
  const judged = new Map<unknown, Map<string, boolean>>();
  return ({ zone, capacityType, requirements }) => {
    const ofList = judged.get(requirements) ?? new Map<string, boolean>();
    judged.set(requirements, ofList);
    const key = `${zone} ${capacityType}`;
    const known = ofList.get(key);
    if (known !== undefined) return known;
    const found = requirementsOf([
      { key: zoneLabel, operator: "In", values: [zone] },
      { key: capacityTypeLabel, operator: "In", values: [capacityType] },
      ...(requirements ?? []),
    ]);
    const met = firstConflict(found, wanted) === undefined;
    ofList.set(key, met);
    return met;
  };
}

function byPrice(a: Offering, b: Offering): number {
  return (
    a.pricePerHour - b.pricePerHour ||
    (a.capacityType === b.capacityType ? compareText(a.zone, b.zone) : compareText(a.capacityType, b.capacityType))
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
