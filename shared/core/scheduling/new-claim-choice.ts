/**
 * Which claim is made when no other can take a pod: the NodePool by weight, then the domain. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/scheduler.go, addToNewNodeClaim. It differs: of equally full domains the one with
 * the cheapest claim is taken, not one at random.
 */
import type { CandidatePool } from "./candidate-pool.ts";
import type { ClassInWork, Step } from "./class-in-work.ts";
import { type NewClaim, type NewClaimRules, newClaim } from "./new-claim.ts";
import type { RequirementSet } from "./requirement-set.ts";
import type { DomainChoices } from "./topology/domain-choice.ts";
import type { Topology } from "./topology/topology.ts";

export interface StartOfClaim {
  readonly pool: CandidatePool;
  readonly made: NewClaim;
}

export class NewClaimChoice {
  readonly #rules: NewClaimRules;
  readonly #choices: DomainChoices;
  readonly #topology: Topology;
  readonly #domainSeed: number;

  /** `domainSeed`: of the strategy. */
  constructor(rules: NewClaimRules, choices: DomainChoices, topology: Topology, domainSeed: number) {
    this.#rules = rules;
    this.#choices = choices;
    this.#topology = topology;
    this.#domainSeed = domainSeed;
  }

  /** Of the first pool, by weight, that can take such a pod; a pod is not passed on to lighter pools for want of reserved capacity. */
  firstFor(one: ClassInWork, step: Step): StartOfClaim | "deferred" | undefined {
    for (const pool of step.pools) {
      for (const alternatives of this.#choicesFor(step, pool)) {
        const made = newClaim(pool, { ...step, alternatives: this.#drawn(one, alternatives) }, this.#rules);
        if (made === "deferred") return made;
        if (made !== undefined) return { pool, made };
      }
    }
    return undefined;
  }

  /** Sets that a new node of the pool may become, those with equally full domains together, the emptiest first. */
  #choicesFor(step: Step, pool: CandidatePool): readonly (readonly RequirementSet[])[] {
    if (step.rules.byKey.length === 0) return [step.alternatives];
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
    return [...byLoad].sort(([a], [b]) => a - b).map(([, sets]) => sets);
  }

  /** One of them by the strategy's seed; without a seed all, for the cheapest. */
  #drawn({ podClass }: ClassInWork, alternatives: readonly RequirementSet[]): readonly RequirementSet[] {
    if (this.#domainSeed === 0 || alternatives.length <= 1) return alternatives;
    const one = alternatives[drawnNumber(podClass.ladder.text, this.#domainSeed) % alternatives.length];
    return one === undefined ? alternatives : [one];
  }
}

/** Differs from class to class and from seed to seed. */
function drawnNumber(text: string, seed: number): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x0100_0193) >>> 0;
  return (hash ^ (hash >>> 15)) >>> 0;
}
