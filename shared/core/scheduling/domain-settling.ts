/**
 * A claim whose domain is open keeps others out of all of its domains and draws nobody into any. When that is what a class
 * is missing, the claim is settled. Karpenter counterpart: none; it places one pod of zonal anti-affinity a loop, and a
 * follower of a pod whose zone is open fails.
 */
import { has } from "./bitset.ts";
import type { PlacedClaim } from "./claim-lanes.ts";
import type { Step } from "./class-in-work.ts";
import type { RequirementSet, RequirementSets } from "./requirement-set.ts";
import type { DomainChoices } from "./topology/domain-choice.ts";
import type { DomainCounts } from "./topology/domain-counts.ts";
import type { Topology } from "./topology/topology.ts";

export class DomainSettling {
  readonly #choices: DomainChoices;
  readonly #sets: RequirementSets;
  readonly #topology: Topology;

  constructor(choices: DomainChoices, sets: RequirementSets, topology: Topology) {
    this.#choices = choices;
    this.#sets = sets;
    this.#topology = topology;
  }

  /** Narrows the first claim whose open domain matters to the step; undefined: there is none. `waiting`: all that wait. */
  settleFor(step: Step, waiting: readonly Step[], claims: readonly PlacedClaim[]): PlacedClaim | undefined {
    for (const { index, nears, aparts } of step.rules.byKey) {
      for (const { counts } of [...nears, ...aparts]) {
        if (counts.unsettled === 0) continue;
        const open = claims.find((place) => isOpen(place, index, counts));
        if (open === undefined) continue;
        const isWanted = nears.length > 0 ? this.#wantedBy([step], index) : this.#unwantedBy(waiting, index);
        if (this.#narrow(open, index, isWanted)) return open;
      }
    }
    return undefined;
  }

  /** `rankOf`: of a domain; the lowest is tried first, of equal ones the cheapest. */
  #narrow(place: PlacedClaim, index: number, rankOf: (domain: number) => number): boolean {
    const { claim } = place;
    const { types } = claim;
    const choices = this.#choices.each(claim.set, place.whereabouts, index).map(({ set, domain }) => {
      const type = claim.pool.index.priceOrder(set).find((one) => has(types, one)) ?? 0;
      return { set, rank: rankOf(domain), price: claim.pool.index.price(type, set) };
    });
    return choices.sort(byRank).some(({ set }) => claim.narrow(set));
  }

  /** A leader goes where its followers can be. */
  #wantedBy(steps: readonly Step[], index: number): (domain: number) => number {
    const wanted = this.#unwantedBy(steps, index);
    return (domain) => -wanted(domain);
  }

  /** Who wants to be alone goes where the fewest of those who wait could be. */
  #unwantedBy(steps: readonly Step[], index: number): (domain: number) => number {
    const usable = steps.map((step) => this.#usable(step, index));
    return (domain) => usable.filter((domains) => domains.has(domain)).length;
  }

  /** Domains in which a NodePool could make a node for the class. */
  #usable({ pools, alternatives }: Step, index: number): ReadonlySet<number> {
    const domains = pools.flatMap((pool) =>
      alternatives.flatMap((alternative) => {
        const set = this.#sets.narrow(pool.base, alternative);
        return set === undefined ? [] : (this.#topology.ofSet(pool, set).domains[index] ?? []);
      }),
    );
    return new Set(domains);
  }
}

interface RankedChoice {
  readonly set: RequirementSet;
  readonly rank: number;
  readonly price: number;
}

function byRank(a: RankedChoice, b: RankedChoice): number {
  return a.rank - b.rank || (a.price < b.price ? -1 : a.price > b.price ? 1 : 0);
}

function isOpen({ whereabouts, runs }: PlacedClaim, index: number, counts: DomainCounts): boolean {
  if ((whereabouts.domains[index]?.length ?? 0) <= 1) return false;
  return runs.some(({ membership }) => membership.counts.includes(counts) || membership.owns.includes(counts));
}
