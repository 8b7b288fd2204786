import type { AnswerClaim, Placement, Problem } from "../../cli/solve/problem.ts";
import { type Inhabited, placesOf, wishesMet } from "../differential/checker/wishes.ts";
import type { Figures } from "./measured.ts";

const zoneKey = "topology.kubernetes.io/zone";
/** Of a claim that names none: those that the workloads have. */
const zonesElse = 3;

export function figuresOf(problem: Problem, { nodeClaims, existingNodes }: Placement): Figures {
  const places: readonly Inhabited[] = placesOf(problem, nodeClaims, existingNodes);
  const wishes = wishesMet(problem, places);
  return {
    claims: nodeClaims.length,
    pricePerHour: priceOf(nodeClaims),
    types: mean(nodeClaims, ({ instanceTypes }) => instanceTypes.length),
    zones: mean(nodeClaims, ({ requirements }) => zonesOf(requirements)),
    ...(wishes.stated === 0 ? {} : { wishes }),
  };
}

export function priceOf(claims: readonly AnswerClaim[]): number {
  return claims.reduce((sum, { cheapest }) => sum + (cheapest?.price ?? 0), 0);
}

function zonesOf(requirements: AnswerClaim["requirements"]): number {
  const asked = requirements.find(({ key }) => key === zoneKey);
  return asked?.operator === "In" ? (asked.values ?? []).length : zonesElse;
}

function mean(claims: readonly AnswerClaim[], of: (claim: AnswerClaim) => number): number {
  return claims.length === 0 ? 0 : claims.reduce((sum, claim) => sum + of(claim), 0) / claims.length;
}
