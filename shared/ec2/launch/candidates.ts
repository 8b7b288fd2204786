/**
 * Karpenter counterpart: pkg/providers/instance/filter/filter.go, the compatible-available filter. No difference.
 */
import { capacityTypeLabel, zoneLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import { quantityToInteger } from "#api/quantity.ts";
import type { InstanceType, Offering, Resources } from "#core/instance-type.ts";
import { firstConflict, type Requirements, requirementsOf } from "#core/scheduling/requirements/requirements.ts";

/** A type that the claim can use, with the offerings that can be had now; at least one. */
export interface Candidate {
  readonly instanceType: InstanceType;
  readonly requirements: Requirements;
  readonly offerings: readonly Offering[];
  readonly cheapestPerHour: number;
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

/** In the order of the types. Launches come in hundreds, over hundreds of types: nothing here is sorted or copied twice. */
export function candidatesOf(claim: NodeClaim, instanceTypes: readonly InstanceType[]): readonly Candidate[] {
  const wanted = requirementsOf(claim.spec.requirements);
  const requests = Object.entries(requestsOf(claim));
  const meets = offeringCheck(wanted);
  const candidates: Candidate[] = [];
  for (const instanceType of instanceTypes) {
    if (!fits(requests, instanceType.allocatable)) continue;
    const requirements = requirementsOfType(instanceType);
    if (firstConflict(requirements, wanted) !== undefined) continue;
    const offerings = instanceType.offerings.filter((offering) => offering.available && meets(offering));
    const candidate = candidateWith({ instanceType, requirements }, offerings);
    if (candidate !== undefined) candidates.push(candidate);
  }
  return candidates;
}

/** Undefined where no offering is left. */
export function candidateWith(
  { instanceType, requirements }: Pick<Candidate, "instanceType" | "requirements">,
  offerings: readonly Offering[],
): Candidate | undefined {
  if (offerings.length === 0) return undefined;
  let cheapestPerHour = Number.POSITIVE_INFINITY;
  for (const { pricePerHour } of offerings) if (pricePerHour < cheapestPerHour) cheapestPerHour = pricePerHour;
  return { instanceType, requirements, offerings, cheapestPerHour };
}

/** The claim's requests in the scheduler's units; what cannot be read counts as 0 (validation refuses it earlier). */
export function requestsOf(claim: NodeClaim): Resources {
  const requests = claim.spec.resources?.requests ?? {};
  return Object.fromEntries(
    Object.entries(requests).map(([name, text]) => [name, quantityToInteger(name, text, "up") ?? 0]),
  );
}

/** Cheapest first, then by name. */
export function byCheapest(a: Candidate, b: Candidate): number {
  return a.cheapestPerHour - b.cheapestPerHour || (a.instanceType.name < b.instanceType.name ? -1 : 1);
}

function fits(requests: readonly (readonly [string, number])[], allocatable: Resources): boolean {
  for (const [name, amount] of requests) if (amount > (allocatable[name] ?? 0)) return false;
  return true;
}

/** Offerings of many types say the same of zone and capacity type (and share the list), so each is judged once. */
function offeringCheck(wanted: Requirements): (offering: Offering) => boolean {
  const judged = new Map<unknown, Map<string, Map<string, boolean>>>();
  return ({ zone, capacityType, requirements }) => {
    const byZone = inMap(judged, requirements);
    const byCapacityType = inMap(byZone, zone);
    const known = byCapacityType.get(capacityType);
    if (known !== undefined) return known;
    const found = requirementsOf([
      { key: zoneLabel, operator: "In", values: [zone] },
      { key: capacityTypeLabel, operator: "In", values: [capacityType] },
      ...(requirements ?? []),
    ]);
    const met = firstConflict(found, wanted) === undefined;
    byCapacityType.set(capacityType, met);
    return met;
  };
}

function inMap<Key, InnerKey, Value>(map: Map<Key, Map<InnerKey, Value>>, key: Key): Map<InnerKey, Value> {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = new Map<InnerKey, Value>();
  map.set(key, made);
  return made;
}
