/**
 * Karpenter counterpart: pkg/controllers/provisioning/scheduling/scheduler.go, addToNewNodeClaim. It differs: of OR-ed
 * alternatives the cheapest one is taken, not the first that the user wrote.
 */
import type { Ask } from "./ask.ts";
import { type Bitset, has, isEmpty } from "./bitset.ts";
import { type CandidatePool, fittingTypes } from "./candidate-pool.ts";
import { hasMinValues, type MinValuesShortage, minValuesShortages } from "./min-values.ts";
import type { RequirementSet, RequirementSets } from "./requirement-set.ts";
import type { ResourceVector } from "./resource-vector.ts";

/** BestEffort: a claim asks for as many values as there are, when there are fewer than its NodePool wants. */
export type MinValuesPolicy = "Strict" | "BestEffort";

/** A claim that could be made for at least one pod of a class. */
export interface NewClaim {
  readonly set: RequirementSet;
  readonly types: Bitset;
  readonly requests: ResourceVector;
  readonly minValuesRelaxed: boolean;
  /** Per hour, of the cheapest way to launch it with that one pod. */
  readonly price: number;
}

/** The cheapest claim of the pool that can take one such pod, if any; equal prices by the order of the alternatives. */
export function newClaim(
  pool: CandidatePool,
  ask: Ask,
  sets: RequirementSets,
  policy: MinValuesPolicy,
): NewClaim | undefined {
  let best: NewClaim | undefined;
  for (const alternative of ask.alternatives) {
    const claim = claimFor(pool, alternative, ask, sets, policy);
    if (claim !== undefined && (best === undefined || claim.price < best.price)) best = claim;
  }
  return best;
}

function claimFor(
  pool: CandidatePool,
  alternative: RequirementSet,
  ask: Ask,
  sets: RequirementSets,
  policy: MinValuesPolicy,
): NewClaim | undefined {
  const { index, limits } = pool;
  const set = sets.narrow(pool.base, alternative);
  if (set === undefined) return undefined;
  const types = fittingTypes(pool, index.launchable(set), ask.requests, ask.hostPorts);
  limits.keepAllowed(types, index);
  if (isEmpty(types)) return undefined;
  const cheapest = index.priceOrder(set).find((type) => has(types, type)) ?? 0;
  const claim = { set, types, requests: ask.requests, minValuesRelaxed: false, price: index.price(cheapest, set) };
  const shortages = hasMinValues(set) ? minValuesShortages(set, types, index) : [];
  if (shortages.length === 0) return claim;
  return policy === "Strict" ? undefined : { ...claim, set: relaxed(set, shortages, sets), minValuesRelaxed: true };
}

function relaxed(set: RequirementSet, shortages: readonly MinValuesShortage[], sets: RequirementSets): RequirementSet {
  const requirements = new Map(set.requirements);
  for (const { key, found } of shortages) {
    const before = requirements.get(key);
    if (before === undefined) continue;
    const { minValues: _, ...rest } = before;
    requirements.set(key, found === 0 ? rest : { ...rest, minValues: found });
  }
  return sets.intern(requirements);
}
