/**
 * Karpenter counterpart: pkg/controllers/provisioning/scheduling/scheduler.go, addToNewNodeClaim. It differs: of OR-ed
 * alternatives the cheapest one is taken, not the first that the user wrote.
 */

import { type Bitset, isEmpty } from "../instance-types/bitset.ts";
import type { LaunchProfile } from "../instance-types/launch-profile.ts";
import { type Held, nothingHeld } from "../instance-types/reservations.ts";
import type { Ask } from "../pods/ask.ts";
import { hasMinValues, type MinValuesPolicy, minValuesShortages, withFewerValues } from "../requirements/min-values.ts";
import type { RequirementSet } from "../requirements/requirement-set.ts";
import { type CandidatePool, fittingTypes } from "./candidate-pool.ts";
import type { ClaimContext } from "./claim-context.ts";

/** A claim that could be made for at least one pod of a class. */
export interface NewClaim {
  readonly set: RequirementSet;
  /** Types that the limits of its pool leave; undefined: all. */
  readonly allowed: Bitset | undefined;
  readonly profile: LaunchProfile;
  readonly minValuesRelaxed: boolean;
  /** Reservations that it holds from the start. */
  readonly held: Held;
  /** Per hour, of the cheapest way to launch it with that one pod. */
  readonly price: number;
}

/** What a batch knows that decides on new claims. */
export interface NewClaimRules extends ClaimContext {
  readonly policy: MinValuesPolicy;
}

/**
 * The cheapest claim of the pool that can take one such pod, if any; equal prices by the order of the alternatives.
 * `deferred`: it would be reserved capacity, and all of that is spoken for in this batch.
 */
export function newClaim(pool: CandidatePool, ask: Ask, rules: NewClaimRules): NewClaim | "deferred" | undefined {
  let best: NewClaim | undefined;
  let deferred = false;
  const allowed = pool.limits.allowed(pool.index);
  for (const alternative of ask.alternatives) {
    const set = rules.sets.narrow(pool.base, alternative);
    const claim = set === undefined ? undefined : claimFor(pool, set, allowed, ask, rules);
    if (claim === "deferred") deferred = true;
    else if (claim !== undefined && (best === undefined || claim.price < best.price)) best = claim;
  }
  return best ?? (deferred ? "deferred" : undefined);
}

function claimFor(
  pool: CandidatePool,
  set: RequirementSet,
  allowed: Bitset | undefined,
  ask: Ask,
  rules: NewClaimRules,
): NewClaim | "deferred" | undefined {
  const { profiles, reservations } = rules;
  const profile = profiles.of(pool, set, allowed, ask.hostPorts);
  const rank = profile.rankAlone(ask.requests);
  if (rank < 0) return undefined;
  const price = profile.prices[rank] ?? 0;
  const plain = { set, allowed, profile, minValuesRelaxed: false, held: nothingHeld, price };
  return reservations.none && !hasMinValues(set) ? plain : settledClaim(pool, plain, ask, rules);
}

/** The claim with its reservations and its minValues. */
function settledClaim(
  pool: CandidatePool,
  claim: NewClaim,
  ask: Ask,
  { sets, policy, reservations, profiles }: NewClaimRules,
): NewClaim | "deferred" | undefined {
  const { index } = pool;
  const fitting = fittingTypes(pool, claim.profile.types, ask.requests, ask.hostPorts);
  if (isEmpty(fitting)) return undefined;
  const settled = reservations.settle(claim.set, fitting, nothingHeld, index, sets);
  if (settled === undefined) return "deferred";
  const { types, held } = settled;
  const shortages = hasMinValues(settled.set) ? minValuesShortages(settled.set, types, index) : [];
  if (shortages.length > 0 && policy === "Strict") return undefined;
  const set = shortages.length === 0 ? settled.set : withFewerValues(settled.set, shortages, sets);
  const profile = profiles.of(pool, set, claim.allowed, ask.hostPorts);
  const rank = profile.rankAlone(ask.requests);
  return { ...claim, set, held, profile, price: profile.prices[rank] ?? 0, minValuesRelaxed: shortages.length > 0 };
}
