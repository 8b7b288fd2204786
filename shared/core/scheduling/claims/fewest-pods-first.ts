/**
 * Karpenter's way to a claim of this batch: the one with the fewest pods that can take the next pod. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/scheduler.go, addToInflightNode. No difference in the order.
 */

import type { Step } from "../pods/class-in-work.ts";
import type { RequirementSets } from "../requirements/requirement-set.ts";
import type { Topology } from "../topology/topology.ts";
import type { ClaimLanes, PlacedClaim } from "./claim-lanes.ts";
import type { LaneDomains } from "./lane-domains.ts";
import { limitOn, type Slot } from "./slot.ts";
import type { StepTurn } from "./step-turn.ts";

export class FewestPodsFirst {
  readonly #domains: LaneDomains;
  readonly #lanes: ClaimLanes;
  readonly #sets: RequirementSets;
  readonly #topology: Topology;
  /** By pods, the fewest first, as of the last look; equal ones as they were. */
  #byPods: PlacedClaim[] = [];

  constructor(domains: LaneDomains, lanes: ClaimLanes, sets: RequirementSets, topology: Topology) {
    this.#domains = domains;
    this.#lanes = lanes;
    this.#sets = sets;
    this.#topology = topology;
  }

  /** All claims that can take one. */
  *slots(turn: StepTurn): Generator<Slot> {
    this.#byPods.push(...this.#lanes.claims.slice(this.#byPods.length));
    this.#byPods.sort((a, b) => a.claim.pods.length - b.claim.pods.length);
    const entries = new Map(
      turn.lanes
        .ordered(this.#lanes, this.#sets, this.#topology)
        .map((entry) => [entry.lane, this.#domains.setsOf(turn.step, entry)]),
    );
    for (const place of this.#byPods) {
      const sets = entries.get(place.lane);
      if (sets === undefined || !mayHaveRoom(place, turn.step)) continue;
      if (limitOn(turn.step.rules, place.host) === 0) continue;
      for (const set of sets) {
        const fit = place.claim.fit(turn.step, set);
        if (fit !== undefined) yield { place, fit, limit: 1, priceEach: 0 };
      }
    }
  }
}

/** Volumes that are attached already need none, so attachments are not looked at. */
function mayHaveRoom({ claim, lane }: PlacedClaim, step: Step): boolean {
  if (step.shared.length > 0) return true;
  const { most } = lane.profile;
  for (let d = 0; d < most.length; d++) {
    if ((claim.requests[d] ?? 0) + (step.requests[d] ?? 0) > (most[d] ?? 0)) return false;
  }
  return true;
}
