/**
 * A claim that holds reservations is pinned to them. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/nodeclaim.go, FinalizeScheduling. It differs: only types that can be launched
 * into one of them stay on the claim. Where they have too few different values for minValues, Strict gives the
 * reservations up if the claim can be something else and else pins it to nothing, BestEffort asks for fewer values.
 */
import { capacityTypeLabel } from "#api/karpenter-v1/labels.ts";
import { type Bitset, both, emptyBitset, include, isEmpty } from "../instance-types/bitset.ts";
import { type MinValuesPolicy, minValuesShortages, withFewerValues } from "../requirements/min-values.ts";
import { requirementOf } from "../requirements/requirement.ts";
import type { RequirementSet, RequirementSets } from "../requirements/requirement-set.ts";
import { intersectRequirements, requirementsOf } from "../requirements/requirements.ts";
import type { ClaimInWork } from "./claim-in-work.ts";

export interface FinalClaim {
  readonly set: RequirementSet;
  readonly types: Bitset;
  readonly minValuesRelaxed: boolean;
}

export interface PinningRules {
  readonly sets: RequirementSets;
  readonly policy: MinValuesPolicy;
  /** The label by which offerings name their reservation. */
  readonly reservationIdLabel: string | undefined;
}

export function finalClaim(claim: ClaimInWork, rules: PinningRules): FinalClaim {
  const { set, types, minValuesRelaxed, held } = claim;
  if (held.size === 0) return { set, types, minValuesRelaxed };
  const { index } = claim.pool;
  const within = emptyBitset(index.types.length);
  for (const [id, own] of index.reservations(set)) if (held.has(id)) include(within, own);
  const pinned = { set: pinnedSet(claim, rules), types: both(types, within), minValuesRelaxed };
  const shortages = minValuesShortages(pinned.set, pinned.types, index);
  if (shortages.length === 0) return pinned;
  // With all of its types the claim has the values; the launch tries its reservations first.
  if (rules.policy === "Strict") return unreserved(claim, rules) ?? { set, types, minValuesRelaxed };
  return { ...pinned, set: withFewerValues(pinned.set, shortages, rules.sets), minValuesRelaxed: true };
}

function pinnedSet({ set, held }: ClaimInWork, { sets, reservationIdLabel }: PinningRules): RequirementSet {
  const pins = requirementsOf([
    { key: capacityTypeLabel, operator: "In", values: ["reserved"] },
    ...(reservationIdLabel === undefined
      ? []
      : [{ key: reservationIdLabel, operator: "In" as const, values: [...held].sort() }]),
  ]);
  return sets.intern(intersectRequirements(set.requirements, pins));
}

function unreserved({ set, types, pool, minValuesRelaxed }: ClaimInWork, rules: PinningRules): FinalClaim | undefined {
  const others = requirementOf({ key: capacityTypeLabel, operator: "NotIn", values: ["reserved"] });
  const narrowed = rules.sets.narrow(set, rules.sets.intern(new Map([[capacityTypeLabel, others]])));
  if (narrowed === undefined) return undefined;
  const left = both(types, pool.index.launchable(narrowed));
  if (isEmpty(left) || minValuesShortages(narrowed, left, pool.index).length > 0) return undefined;
  return { set: narrowed, types: left, minValuesRelaxed };
}
