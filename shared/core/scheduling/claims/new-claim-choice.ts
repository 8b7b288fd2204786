/**
 * Which claim is made when no other can take a pod: the NodePool by weight, then the domain. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/scheduler.go, addToNewNodeClaim. It differs: of equally full domains the one with
 * the cheapest claim is taken, not one at random.
 */

import type { Step } from "../pods/class-in-work.ts";
import type { RequirementSet } from "../requirements/requirement-set.ts";
import type { Strategy } from "../strategy.ts";
import type { DomainChoices } from "../topology/domain-choice.ts";
import type { Topology } from "../topology/topology.ts";
import type { CandidatePool } from "./candidate-pool.ts";
import type { DomainDraw } from "./domain-draw.ts";
import { type NewClaim, type NewClaimRules, newClaim } from "./new-claim.ts";

export interface StartOfClaim {
  readonly pool: CandidatePool;
  readonly made: NewClaim;
}

export class NewClaimChoice {
  readonly #rules: NewClaimRules;
  readonly #choices: DomainChoices;
  readonly #topology: Topology;
  readonly #strategy: Strategy;
  readonly #draw: DomainDraw;

  constructor(rules: NewClaimRules, choices: DomainChoices, topology: Topology, strategy: Strategy, draw: DomainDraw) {
    this.#rules = rules;
    this.#choices = choices;
    this.#topology = topology;
    this.#strategy = strategy;
    this.#draw = draw;
  }

  /** Of the first pool, by weight, that can take such a pod; a pod is not passed on to lighter pools for want of reserved capacity. */
  firstFor(step: Step): StartOfClaim | "deferred" | undefined {
    for (const pool of step.pools) {
      for (const alternatives of this.#choicesFor(step, pool)) {
        const ask = alternatives === step.alternatives ? step : { ...step, alternatives };
        const made = newClaim(pool, ask, this.#rules);
        if (made === "deferred") return made;
        if (made !== undefined) return { pool, made };
      }
    }
    return undefined;
  }

  /** Sets that a new node of the pool may become, those with equally full domains together, the emptiest first. */
  #choicesFor(step: Step, pool: CandidatePool): readonly (readonly RequirementSet[])[] {
    if (step.rules.byKey.length === 0) return [step.alternatives];
    return this.#strategy.drawsBlindly ? this.#drawnFor(step, pool) : this.#byLoad(step, pool);
  }

  #byLoad(step: Step, pool: CandidatePool): readonly (readonly RequirementSet[])[] {
    const byLoad = new Map<number, RequirementSet[]>();
    for (const alternative of step.alternatives) {
      const narrowed = this.#rules.sets.narrow(pool.base, alternative);
      if (narrowed === undefined) continue;
      for (const { set, load } of this.#choices.of(step.rules, narrowed, this.#topology.ofSet(pool, narrowed))) {
        const equal = byLoad.get(load);
        if (equal === undefined) byLoad.set(load, [set]);
        else equal.push(set);
      }
    }
    return [...byLoad].sort(([a], [b]) => a - b).map(([, sets]) => this.#drawn(sets));
  }

  #drawnFor(step: Step, pool: CandidatePool): readonly (readonly RequirementSet[])[] {
    return step.alternatives.map((alternative) => {
      const narrowed = this.#rules.sets.narrow(pool.base, alternative);
      if (narrowed === undefined) return [];
      const where = this.#topology.ofSet(pool, narrowed);
      const drawn = this.#choices.drawn(step.rules, narrowed, where, this.#draw);
      return drawn === undefined ? [] : [drawn];
    });
  }

  /** One of them by the strategy's seed; without a seed all, for the cheapest. */
  #drawn(alternatives: readonly RequirementSet[]): readonly RequirementSet[] {
    const one = this.#strategy.domainSeed === 0 ? undefined : this.#draw.of(alternatives);
    return one === undefined ? alternatives : [one];
  }
}
