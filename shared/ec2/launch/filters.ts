/**
 * Karpenter counterpart: pkg/providers/instance/filter/filter.go. It differs: the truncation breaks ties of price by name (Karpenter's order is unstable).
 */
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { InstanceType } from "#core/instance-type.ts";
import { allowsValue, type Requirement } from "#core/scheduling/requirements/requirement.ts";
import { type Requirements, requirementsOf } from "#core/scheduling/requirements/requirements.ts";
import type { Settings } from "#core/settings.ts";
import { sizeLabel } from "../labels.ts";
import { byCheapest, type Candidate, candidateWith } from "./candidates.ts";
import { withReservationsFirst } from "./reserved-filter.ts";

/** Karpenter: MaxInstanceTypes of a launch. */
const typesMax = 60;

const exoticResources: readonly string[] = [
  "nvidia.com/gpu",
  "amd.com/gpu",
  "habana.ai/gaudi",
  "aws.amazon.com/neuron",
  "aws.amazon.com/neuroncore",
];

export type FilterAnswer =
  | { readonly kind: "left"; readonly candidates: readonly Candidate[] }
  | { readonly kind: "none"; readonly message: string };

/** Narrows the candidates to those that the launch asks for, in Karpenter's order; cheapest first. */
export function filterCandidates(
  claim: NodeClaim,
  candidates: readonly Candidate[],
  policy: Settings["minValuesPolicy"],
): FilterAnswer {
  const wanted = requirementsOf(claim.spec.requirements);
  const flexible = [...wanted.values()].filter(({ minValues }) => minValues !== undefined);
  const first = withReservationsFirst(candidates);
  const narrowed = flexible.length > 0 ? first : withoutDearSpot(withoutExotic(first));
  const kept = [...narrowed].sort(byCheapest).slice(0, typesMax);
  if (policy === "BestEffort") return { kind: "left", candidates: kept };
  for (const requirement of flexible) {
    const count = distinctValues(kept, requirement);
    const least = requirement.minValues ?? 0;
    if (count < least) {
      const message = `minValues ${least} of ${requirement.key} cannot be met: ${count} of its values can be launched now`;
      return { kind: "none", message };
    }
  }
  return { kind: "left", candidates: kept };
}

/** Bare metal and machines with devices only when nothing else is left. */
function withoutExotic(candidates: readonly Candidate[]): readonly Candidate[] {
  const generic = candidates.filter((candidate) => !isExotic(candidate));
  return generic.length > 0 ? generic : candidates;
}

/** Remembered as long as the type is. */
const exotic = new WeakMap<InstanceType, boolean>();

function isExotic({ instanceType, requirements }: Candidate): boolean {
  const known = exotic.get(instanceType);
  if (known !== undefined) return known;
  const metal = requirements.get(sizeLabel)?.values.some((size) => size.includes("metal")) === true;
  const found = metal || exoticResources.some((name) => (instanceType.capacity[name] ?? 0) > 0);
  exotic.set(instanceType, found);
  return found;
}

/** Spot that costs more than the cheapest on-demand offering is never worth its risk. */
function withoutDearSpot(candidates: readonly Candidate[]): readonly Candidate[] {
  let cheapest = Number.POSITIVE_INFINITY;
  for (const { offerings } of candidates) {
    for (const { capacityType, pricePerHour } of offerings) {
      if (capacityType === "on-demand" && pricePerHour < cheapest) cheapest = pricePerHour;
    }
  }
  if (cheapest === Number.POSITIVE_INFINITY) return candidates;
  return candidates.flatMap((candidate) => {
    const { offerings } = candidate;
    const kept = offerings.filter(
      ({ capacityType, pricePerHour }) => capacityType !== "spot" || pricePerHour <= cheapest,
    );
    return kept.length === offerings.length ? candidate : (candidateWith(candidate, kept) ?? []);
  });
}

function distinctValues(candidates: readonly Candidate[], wanted: Requirement): number {
  const values = new Set<string>();
  for (const { requirements } of candidates) for (const value of valuesOf(requirements, wanted)) values.add(value);
  return values.size;
}

function valuesOf(requirements: Requirements, wanted: Requirement): readonly string[] {
  return (requirements.get(wanted.key)?.values ?? []).filter((value) => allowsValue(wanted, value));
}
