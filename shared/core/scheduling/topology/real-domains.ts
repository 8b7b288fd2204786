/**
 * Which domains spreads must reckon with because a node or a claim is there. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/topology.go, Register. It differs: a NodePool that some pods do not tolerate can
 * bring a domain that their spread did not reckon with when they were placed; for kube-scheduler it counts, so it is
 * remembered as a surprise, and they are placed again.
 */
import type { RequirementSets } from "../requirements/requirement-set.ts";
import type { UndoLog } from "../undo-log.ts";
import type { DomainCounts } from "./domain-counts.ts";
import { passes, passingDomains } from "./node-filter.ts";
import type { PoolDomains } from "./pool-domains.ts";
import type { TopologyGroups } from "./topology-groups.ts";
import type { Place, Whereabouts } from "./whereabouts.ts";

/** A domain that a spread did not reckon with when it placed pods. */
export interface Surprise {
  readonly group: DomainCounts;
  readonly domain: number;
}

export class RealDomains {
  readonly #groups: TopologyGroups;
  readonly #sets: RequirementSets;
  readonly #poolDomains: PoolDomains;
  /** Since the mark. */
  #noted: Whereabouts[] = [];
  #surprised = false;
  readonly #surprises: Surprise[] = [];
  #spreadOverHosts: readonly DomainCounts[] | undefined;

  constructor(groups: TopologyGroups, sets: RequirementSets, poolDomains: PoolDomains) {
    this.#groups = groups;
    this.#sets = sets;
    this.#poolDomains = poolDomains;
  }

  /** Since the mark, or since they were taken. */
  get isSurprised(): boolean {
    return this.#surprised;
  }

  /** Since they were taken last; then nothing is a surprise any more. */
  takeSurprises(): readonly Surprise[] {
    this.#surprised = false;
    return this.#surprises.splice(0);
  }

  /** Spreads reckon with the domain. */
  foresee({ group, domain }: Surprise, log: UndoLog | undefined): void {
    if (group.real.has(domain)) return;
    group.real.add(domain);
    log?.push(() => group.real.delete(domain));
  }

  /** Of all groups; they and the rules that ask them exist by now. */
  get #overHosts(): readonly DomainCounts[] {
    this.#spreadOverHosts ??= this.#groups.counts.filter(
      ({ key, foreseen }) => key.index < 0 && foreseen !== undefined,
    );
    return this.#spreadOverHosts;
  }

  /** The host is none any more: spreads need not reckon with it. */
  forgetHost(host: number, log: UndoLog | undefined): void {
    for (const { real } of this.#overHosts) {
      if (real.delete(host)) log?.push(() => real.add(host));
    }
  }

  /** A node that is there before the first pod is placed is a host of its own, whoever else is like it. */
  noteHost(place: Place): void {
    for (const group of this.#overHosts) {
      for (const host of this.#countingDomains(group, place)) group.noteReal(host);
    }
  }

  mark(): void {
    this.#noted = [];
  }

  /** As at the mark. */
  rewind(): void {
    this.takeSurprises();
    for (const whereabouts of this.#noted) whereabouts.noted = false;
    this.#noted = [];
  }

  /** A node or claim is there, or has become another. */
  note(place: Place, log: UndoLog | undefined): void {
    const { whereabouts } = place;
    if (whereabouts.noted) return;
    whereabouts.noted = true;
    this.#noted.push(whereabouts);
    log?.push(() => {
      whereabouts.noted = false;
      this.#noted.pop();
    });
    this.#noteEach(place, log);
  }

  #noteEach(place: Place, log: UndoLog | undefined): void {
    for (const group of this.#groups.counts) {
      if (group.foreseen === undefined) continue;
      for (const domain of this.#countingDomains(group, place)) {
        const isNew = !group.real.has(domain);
        if (group.noteReal(domain)) {
          this.#surprised = true;
          this.#surprises.push({ group, domain });
        }
        if (isNew) log?.push(() => group.real.delete(domain));
      }
    }
  }

  #countingDomains({ filter, key }: DomainCounts, { host, whereabouts }: Place): readonly number[] {
    const domains = key.index < 0 ? [host] : (whereabouts.domains[key.index] ?? []);
    if (filter === undefined) return domains;
    if (!passes(filter, whereabouts, this.#sets)) return [];
    return key.index < 0 ? domains : passingDomains(filter, key, whereabouts, this.#sets, this.#poolDomains);
  }
}
