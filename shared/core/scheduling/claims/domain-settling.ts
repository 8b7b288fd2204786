/**
 * A claim whose domain is open keeps others out of all of its domains, counts for followers in each of them and draws nobody
 * into any. When that is what a class is missing, the claim is settled. Karpenter counterpart: none; it places one pod of
 * zonal anti-affinity a loop, and a follower of a pod whose zone is open fails.
 */
import { has } from "../instance-types/bitset.ts";
import type { Step } from "../pods/class-in-work.ts";
import type { RequirementSet, RequirementSets } from "../requirements/requirement-set.ts";
import type { DomainChoices } from "../topology/domain-choice.ts";
import type { DomainCounts } from "../topology/domain-counts.ts";
import type { Topology } from "../topology/topology.ts";
import type { PlacedClaim } from "./claim-lanes.ts";

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
   * Narrows a claim whose open domain matters to the step, then by its other keys that matter, and another claim when
   * `isHelped` says that it was in vain; such claims are as before. Says whether one helped. `waiting`: all that wait;
   * asked only where they matter.
   */
  settleFor(
    step: Step,
    waiting: () => readonly Step[],
    claims: readonly PlacedClaim[],
    follow: (place: PlacedClaim) => void,
    isHelped: () => boolean,
  ): boolean {
    const rankIn = ({ index, isNear }: OpenKey) =>
      isNear ? this.#wantedBy([step], index) : this.#unwantedBy(waiting(), index);
    return openClaims(step, claims).some((open) => this.#settles(open, rankIn, follow, isHelped));
  }

  #settles(
    { place, keys }: OpenInKeys,
    rankIn: (key: OpenKey) => (domain: number) => number,
    follow: (place: PlacedClaim) => void,
    isHelped: () => boolean,
  ): boolean {
    const waysBack: (() => void)[] = [];
    for (const key of keys) {
      const takeBack = this.#narrow(place, key.index, rankIn(key));
      if (takeBack === undefined) continue;
      waysBack.push(takeBack);
      follow(place);
      if (isHelped()) return true;
    }
    for (const takeBack of waysBack.reverse()) takeBack();
    if (waysBack.length > 0) follow(place);
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

interface OpenKey {
  /** Of the topology key. */
  readonly index: number;
  /** The step wants company, not to be alone. */
  readonly isNear: boolean;
}

interface OpenInKeys {
  readonly place: PlacedClaim;
  readonly keys: readonly OpenKey[];
}

function openClaims({ rules }: Step, claims: readonly PlacedClaim[]): readonly OpenInKeys[] {
  const found = new Map<PlacedClaim, OpenKey[]>();
  for (const { index, nears, aparts, spreads } of rules.byKey) {
    const asked = [...nears, ...aparts, ...spreads.filter(({ follows }) => follows)];
    const open = asked.filter(({ counts }) => counts.unsettled > 0);
    const key = { index, isNear: nears.length > 0 };
    for (const place of open.length === 0 ? [] : claims) {
      if (open.some(({ counts }) => isOpen(place, index, counts))) found.set(place, [...(found.get(place) ?? []), key]);
    }
  }
  return [...found].slice(0, triesMax).map(([place, keys]) => ({ place, keys }));
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
