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

/** Claims that are narrowed for one class in a round. */
const triesMax = 4;

export class DomainSettling {
  readonly #choices: DomainChoices;
  readonly #sets: RequirementSets;
  readonly #topology: Topology;

  constructor(choices: DomainChoices, sets: RequirementSets, topology: Topology) {
    this.#choices = choices;
    this.#sets = sets;
    this.#topology = topology;
  }

  /**
   * Narrows a claim whose open domain matters to the step, and another one when `isHelped` says that it was in vain; such
   * claims are as before. Says whether one helped. `waiting`: all that wait; asked only where they matter.
   */
  settleFor(
    step: Step,
    waiting: () => readonly Step[],
    claims: readonly PlacedClaim[],
    follow: (place: PlacedClaim) => void,
    isHelped: () => boolean,
  ): boolean {
    for (const { place, index, isNear } of openClaims(step, claims)) {
      const rankOf = isNear ? this.#wantedBy([step], index) : this.#unwantedBy(waiting(), index);
      const takeBack = this.#narrow(place, index, rankOf);
      if (takeBack === undefined) continue;
      follow(place);
      if (isHelped()) return true;
      takeBack();
      follow(place);
    }
    return false;
  }

  /** `rankOf`: of a domain; the lowest is tried first, of equal ones the cheapest. Returns how to take it back. */
  #narrow(place: PlacedClaim, index: number, rankOf: (domain: number) => number): (() => void) | undefined {
    const { claim } = place;
    const { types } = claim;
    const choices = this.#choices.each(claim.set, place.whereabouts, index).map(({ set, domain }) => {
      const type = claim.pool.index.priceOrder(set).find((one) => has(types, one)) ?? 0;
      return { set, rank: rankOf(domain), price: claim.pool.index.price(type, set) };
    });
    for (const { set } of choices.sort(byRank)) {
      const takeBack = claim.narrow(set);
      if (takeBack !== undefined) return takeBack;
    }
    return undefined;
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

interface OpenClaimOfKey {
  readonly place: PlacedClaim;
  readonly index: number;
  /** The step wants company, not to be alone. */
  readonly isNear: boolean;
}

function openClaims({ rules }: Step, claims: readonly PlacedClaim[]): readonly OpenClaimOfKey[] {
  const found = rules.byKey.flatMap(({ index, nears, aparts }) =>
    [...nears, ...aparts]
      .filter(({ counts }) => counts.unsettled > 0)
      .flatMap(({ counts }) =>
        claims
          .filter((place) => isOpen(place, index, counts))
          .map((place) => ({ place, index, isNear: nears.length > 0 })),
      ),
  );
  return found.slice(0, triesMax);
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
