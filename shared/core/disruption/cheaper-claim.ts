/**
 * What the one claim that replaces nodes may become, so that it is cheaper whatever is launched. Karpenter counterpart:
 * pkg/controllers/disruption/consolidation.go, computeConsolidation and computeSpotToSpotConsolidation, and
 * multinodeconsolidation.go, filterOutSameInstanceType. It differs: the claim is pinned to spot only when spot can be had and
 * is the cheaper way, and keeps only types that can be launched so; a single node is never replaced by its own type in the
 * same capacity type.
 */
import { capacityTypeLabel, instanceTypeLabel, zoneLabel } from "#api/karpenter-v1/labels.ts";
import { dollars } from "../dollars.ts";
import type { ClaimInWork } from "../scheduling/claims/claim-in-work.ts";
import { type FinalClaim, finalClaim, type PinningRules } from "../scheduling/claims/reserved-claim.ts";
import {
  add,
  type Bitset,
  both,
  countOf,
  emptyBitset,
  has,
  indicesOf,
  isEmpty,
} from "../scheduling/instance-types/bitset.ts";
import type { InstanceTypeIndex } from "../scheduling/instance-types/instance-type-index.ts";
import { cheapestFirst } from "../scheduling/instance-types/price-order.ts";
import { minValuesShortages } from "../scheduling/requirements/min-values.ts";
import { requirementOf } from "../scheduling/requirements/requirement.ts";
import type { Candidate } from "./candidate.ts";
import { costOf } from "./disruption-command.ts";
import { capacityTypesInTurn, type LaunchPrices } from "./launch-price.ts";

/** Karpenter: MinInstanceTypesForSpotToSpotConsolidation. With fewer one would go from type to type for ever. */
export const spotTypesMin = 15;

export type CheaperClaim =
  | { readonly kind: "cheaper"; readonly final: FinalClaim }
  | { readonly kind: "none"; readonly message: string };

export interface CheaperRules {
  readonly pinning: PinningRules;
  readonly prices: LaunchPrices;
  readonly spotToSpot: boolean;
}

/** Differences of price below this are roundings. */
const tolerance = 1e-9;

export function cheaperClaim(claim: ClaimInWork, candidates: readonly Candidate[], rules: CheaperRules): CheaperClaim {
  const price = costOf(candidates);
  if (claim.price >= price - tolerance) return none(tooDear(claim, price));
  const final = finalClaim(claim, rules.pinning);
  const offered = claim.pool.index.capacityTypes(final.types, final.set);
  const isFromSpot = candidates.every((candidate) => capacityTypeOf(candidate) === "spot");
  if (isFromSpot && offered.includes("spot")) return spotToSpot(claim, final, candidates, price, rules);
  const left = below(claim.pool.index, final, price, rules);
  if (isEmpty(left)) return none(tooDear(claim, price));
  const made = pinned(claim, { ...final, types: left }, rules);
  // Pinned to another way than the first in turn: what is cheap in that one may be dear in this.
  return settled(claim, { ...made, types: below(claim.pool.index, made, price, rules) }, candidates, rules);
}

function spotToSpot(
  claim: ClaimInWork,
  final: FinalClaim,
  candidates: readonly Candidate[],
  price: number,
  rules: CheaperRules,
): CheaperClaim {
  if (!rules.spotToSpot) {
    return none("a spot node is not replaced by another spot node while SpotToSpotConsolidation is off");
  }
  const spot = narrowed(claim, final, "spot", rules);
  const types = spot === undefined ? undefined : below(claim.pool.index, spot, price, rules);
  if (spot === undefined || types === undefined || isEmpty(types)) return none(tooDear(claim, price));
  const made = settled(claim, { ...spot, types }, candidates, rules);
  if (made.kind === "none" || candidates.length > 1) return made;
  const count = countOf(made.final.types);
  if (count < spotTypesMin) {
    return none(
      `replacing a spot node by a spot node needs ${spotTypesMin} cheaper instance types, and there are only ${count}: it needs ${spotTypesMin}, has ${count}`,
    );
  }
  const { index } = claim.pool;
  const first = cheapestFirst(made.final.types, made.final.set, index, spotTypesMin);
  const kept = bitsetOf(first, index);
  const shortages = minValuesShortages(made.final.set, kept, index);
  return shortages.length === 0 ? { kind: "cheaper", final: { ...made.final, types: kept } } : made;
}

/** The types that cost less than that however they are launched. */
function below(index: InstanceTypeIndex, { set, types }: FinalClaim, price: number, { prices }: CheaperRules): Bitset {
  const left = emptyBitset(index.types.length);
  for (const type of indicesOf(types)) if (prices.worst(index, type, set) < price - tolerance) add(left, type);
  return left;
}

/** To the capacity type in which it is cheapest: falling back to another could cost more than what it replaces. */
function pinned(claim: ClaimInWork, final: FinalClaim, rules: CheaperRules): FinalClaim {
  const ways = capacityTypesInTurn.flatMap((capacityType) => {
    const one = narrowed(claim, final, capacityType, rules);
    return one === undefined ? [] : [{ one, price: cheapestOf(claim.pool.index, one) }];
  });
  const [first] = ways;
  if (first === undefined || ways.length === 1) return first?.one ?? final;
  return ways.reduce((best, way) => (way.price < best.price - tolerance ? way : best), first).one;
}

function cheapestOf(index: InstanceTypeIndex, { set, types }: FinalClaim): number {
  const first = index.priceOrder(set).find((type) => has(types, type));
  return first === undefined ? Number.POSITIVE_INFINITY : index.price(first, set);
}

/** Undefined: none of the types can be had so. */
function narrowed(
  { pool: { index } }: ClaimInWork,
  final: FinalClaim,
  capacityType: string,
  { pinning: { sets } }: CheaperRules,
): FinalClaim | undefined {
  const requirement = requirementOf({ key: capacityTypeLabel, operator: "In", values: [capacityType] });
  const set = sets.narrow(final.set, sets.intern(new Map([[capacityTypeLabel, requirement]])));
  if (set === undefined) return undefined;
  const types = both(final.types, index.launchable(set));
  return isEmpty(types) ? undefined : { ...final, set, types };
}

/** Without the types that would only put back what is there, and with enough left for minValues. */
function settled(
  claim: ClaimInWork,
  final: FinalClaim,
  candidates: readonly Candidate[],
  rules: CheaperRules,
): CheaperClaim {
  const { index } = claim.pool;
  const types =
    candidates.length === 1 ? otherTypes(final, candidates, index) : cheaperThanKept(final, candidates, index, rules);
  if (isEmpty(types)) {
    return none("the only cheaper ways to run its pods are of the type that is there already");
  }
  const [shortage] = minValuesShortages(final.set, types, index);
  if (shortage !== undefined) {
    const { key, wanted, found } = shortage;
    return none(`among cheaper instance types ${key} has ${found} values, and minValues asks for ${wanted}`);
  }
  return { kind: "cheaper", final: { ...final, types } };
}

/** The same type bought in another way is another offering; in the same way it would come back for the same money. */
function otherTypes(final: FinalClaim, candidates: readonly Candidate[], index: InstanceTypeIndex): Bitset {
  const left = final.types.slice();
  for (const candidate of candidates) {
    const name = typeNameOf(candidate);
    const own = index.types.findIndex((type) => type.name === name);
    if (own < 0 || !has(left, own)) continue;
    const ways = index.availableOfferings(own, final.set).map(({ capacityType }) => capacityType);
    if (!ways.includes(capacityTypeOf(candidate))) continue;
    const kept = [...indicesOf(left)].filter((type) => type !== own);
    left.set(bitsetOf(kept, index));
  }
  return left;
}

/** When one of the types that go is in the list, keeping that node would do: then only what is cheaper than it makes sense. */
function cheaperThanKept(
  final: FinalClaim,
  candidates: readonly Candidate[],
  index: InstanceTypeIndex,
  { prices }: CheaperRules,
): Bitset {
  let most = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const name = typeNameOf(candidate);
    const own = index.types.findIndex((type) => type.name === name);
    if (own >= 0 && has(final.types, own)) most = Math.min(most, offeredPrice(candidate));
  }
  if (most === Number.POSITIVE_INFINITY) return final.types;
  const left = emptyBitset(index.types.length);
  for (const type of indicesOf(final.types)) {
    if (prices.worst(index, type, final.set) < most - tolerance) add(left, type);
  }
  return left;
}

/** The cheapest offering of the candidate's type, zone and capacity type. */
function offeredPrice({ claim, instanceType, pricePerHour }: Candidate): number {
  const labels = claim.metadata.labels ?? {};
  const own = (instanceType?.offerings ?? []).filter(
    ({ zone, capacityType }) => zone === labels[zoneLabel] && capacityType === labels[capacityTypeLabel],
  );
  return own.length === 0 ? pricePerHour : Math.min(...own.map((offering) => offering.pricePerHour));
}

function capacityTypeOf({ claim }: Candidate): string {
  return claim.metadata.labels?.[capacityTypeLabel] ?? "";
}

function typeNameOf({ claim }: Candidate): string {
  return claim.metadata.labels?.[instanceTypeLabel] ?? "";
}

function bitsetOf(types: readonly number[], index: InstanceTypeIndex): Bitset {
  const bits = emptyBitset(index.types.length);
  for (const type of types) add(bits, type);
  return bits;
}

function tooDear({ price, profile, rank, pool }: ClaimInWork, limit: number): string {
  const name = pool.index.types[profile.ranked[rank] ?? -1]?.name ?? "";
  return `no cheaper node can take its pods: it costs ${dollars(limit)} an hour, and the cheapest that has room (${name}) starts at ${dollars(price)}`;
}

function none(message: string): CheaperClaim {
  return { kind: "none", message };
}
