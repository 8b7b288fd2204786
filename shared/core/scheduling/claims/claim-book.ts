/**
 * Writes down what comes to claims, so that counts between pods and the lanes of claims follow. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/nodeclaim.go, Add, and topology.go, Record. It differs: pods of a class are
 * written together, and a claim's pods are counted anew when it settles on a domain.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import type { ClassInWork, Step } from "../pods/class-in-work.ts";
import type { Topology } from "../topology/topology.ts";
import { ClaimInWork } from "./claim-in-work.ts";
import type { ClaimLanes, PlacedClaim } from "./claim-lanes.ts";
import type { NewClaimRules } from "./new-claim.ts";
import type { StartOfClaim } from "./new-claim-choice.ts";
import { limitOn, type Slot } from "./slot.ts";

/** A host that no count knows. */
export const freshHost = -1;

export class ClaimBook {
  readonly #lanes: ClaimLanes;
  readonly #topology: Topology;
  readonly #rules: NewClaimRules;

  constructor(lanes: ClaimLanes, topology: Topology, rules: NewClaimRules) {
    this.#lanes = lanes;
    this.#topology = topology;
    this.#rules = rules;
  }

  /** How many of the pods from `from` on came to the claim. */
  grow(one: ClassInWork, step: Step, { place, fit, limit }: Slot, pods: readonly Pod[], from: number): number {
    const added = place.claim.add(fit, step, pods, from, Math.min(limit, pods.length - from));
    if (added > 0) this.#note(one, step, place, added);
    return added;
  }

  /** How many of the pods from `from` on came to a claim made for them. */
  open(one: ClassInWork, step: Step, { pool, made }: StartOfClaim, pods: readonly Pod[], from: number): number {
    const limit = Math.min(pods.length - from, limitOn(step.rules, freshHost));
    if (limit === 0) return 0;
    const claim = new ClaimInWork(pool, made, this.#rules);
    const fit = claim.fit(step, claim.set);
    const added = fit === undefined ? 0 : claim.add(fit, step, pods, from, limit);
    if (added === 0) return 0;
    pool.limits.charge((type) => claim.canBecome(type), pool.index);
    const whereabouts = this.#topology.ofSet(pool, claim.set);
    this.#note(one, step, this.#lanes.enter(claim, this.#topology.newHost(), whereabouts), added);
    return added;
  }

  /** What the claim holds is counted where it is now. */
  settle(place: PlacedClaim): void {
    const { claim, runs } = place;
    const whereabouts = claim.set === place.lane.set ? place.whereabouts : this.#topology.ofSet(claim.pool, claim.set);
    if (whereabouts !== place.whereabouts) {
      for (const { membership, count } of runs) this.#topology.record(membership, -count, place);
      place.whereabouts = whereabouts;
      for (const { membership, count } of runs) this.#topology.record(membership, count, place);
    }
    this.#topology.note(place);
    this.#lanes.update(place);
  }

  #note(one: ClassInWork, step: Step, place: PlacedClaim, count: number): void {
    const { membership } = one;
    this.settle(place);
    this.#topology.record(membership, count, place);
    place.runs.push({ step, membership, count });
  }
}
