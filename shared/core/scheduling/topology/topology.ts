/**
 * Where pods are and which counts they change. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/topology.go. It differs in method: rules alike share one count, found once a
 * class of pods; which counts a pod adds to is looked up by its labels and remembered for all pods labelled alike.
 */
import type { Pod, Taint } from "#api/core-v1/pod.ts";
import type { Labels } from "#api/label-selector.ts";
import type { CandidatePool } from "../candidate-pool.ts";
import type { ExistingNode } from "../existing-node.ts";
import type { RequirementSet, RequirementSets } from "../requirement-set.ts";
import type { Requirements } from "../requirements.ts";
import type { UndoLog } from "../undo-log.ts";
import type { DomainCounts } from "./domain-counts.ts";
import { GroupIndex } from "./group-index.ts";
import { passes, passingDomains } from "./node-filter.ts";
import { requiredAntiAffinities } from "./pod-rules.ts";
import { identityOf, type PodIdentity, type PodSelectors } from "./pod-selector.ts";
import { PoolDomains } from "./pool-domains.ts";
import { TopologyGroups } from "./topology-groups.ts";
import type { TopologyKey } from "./topology-key.ts";
import type { Place, Whereabouts } from "./whereabouts.ts";

/** A node that is there, with the pods that count: bound, not on their way out, not looking for another place. */
export interface Neighbour {
  readonly name: string;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly pods: readonly Pod[];
}

/** Whose counts the pods of a class change. */
export interface Membership {
  readonly counts: readonly DomainCounts[];
  /** Of pods that keep others away. */
  readonly owns: readonly DomainCounts[];
}

/** A domain that a spread did not reckon with when it placed pods. */
export interface Surprise {
  readonly group: DomainCounts;
  readonly domain: number;
}

export const noMembership: Membership = { counts: [], owns: [] };

export class Topology {
  readonly groups = new TopologyGroups();
  readonly poolDomains = new PoolDomains();
  readonly #sets: RequirementSets;
  readonly #selectors: PodSelectors;
  readonly #hosts = new Map<string, number>();
  readonly #ofSets = new Map<CandidatePool, Map<number, Whereabouts>>();
  #nextHost = 0;
  #markedHost = 0;
  /** Since the mark. */
  #noted: Whereabouts[] = [];
  #surprised = false;
  readonly #surprises: Surprise[] = [];
  #log: UndoLog | undefined;
  #spreadOverHosts: readonly DomainCounts[] | undefined;
  #meaning = new GroupIndex([], []);

  constructor(sets: RequirementSets, selectors: PodSelectors) {
    this.#sets = sets;
    this.#selectors = selectors;
  }

  /** Number of a node; the same name, the same number. */
  hostOf(name: string): number {
    const known = this.#hosts.get(name);
    if (known !== undefined) return known;
    const host = this.newHost();
    this.#hosts.set(name, host);
    return host;
  }

  /** Number of a node to be made. */
  newHost(): number {
    this.#log?.push(() => {
      this.#nextHost--;
    });
    return this.#nextHost++;
  }

  /** From now on each change can be taken back by the log, and not by `rewind` or `restart`. */
  logTo(log: UndoLog): void {
    this.#log = log;
  }

  /** Since they were taken last; then nothing is a surprise any more. */
  takeSurprises(): readonly Surprise[] {
    this.#surprised = false;
    return this.#surprises.splice(0);
  }

  /** Spreads reckon with the domain. */
  foresee({ group, domain }: Surprise): void {
    if (group.real.has(domain)) return;
    group.real.add(domain);
    this.#log?.push(() => group.real.delete(domain));
  }

  /** The host is none any more: spreads need not reckon with it. */
  forgetHost(host: number): void {
    this.#spreadOverHosts ??= this.groups.counts.filter(({ key, foreseen }) => key.index < 0 && foreseen !== undefined);
    for (const { real } of this.#spreadOverHosts) {
      if (real.delete(host)) this.#log?.push(() => real.add(host));
    }
  }

  /** All groups exist by now: finds out what is where. */
  start(neighbours: readonly Neighbour[]): void {
    this.#meaning = new GroupIndex(this.groups.counts, this.groups.labelKeys);
    if (this.groups.isEmpty) return;
    for (const { name, labels, taints, pods } of neighbours) {
      const place = { host: this.hostOf(name), whereabouts: this.ofLabels(labels, taints) };
      this.#noteReal(place);
      for (const pod of pods) {
        const identity = identityOf(pod);
        const owns = requiredAntiAffinities(pod.spec, identity, this.#selectors).map((rule) =>
          this.groups.ofOwners(rule),
        );
        this.record({ counts: this.countsOf(identity), owns }, 1, place);
      }
    }
  }

  /** The counts to which such a pod adds. */
  countsOf(identity: PodIdentity): readonly DomainCounts[] {
    return this.#meaning.meaning(identity);
  }

  /** `count` pods came to that place; negative: they are taken away again. */
  record({ counts, owns }: Membership, count: number, { host, whereabouts }: Place): void {
    for (const group of counts) {
      if (group.filter === undefined || passes(group.filter, whereabouts, this.#sets)) {
        this.#add(group, count, host, whereabouts);
      }
    }
    for (const group of owns) this.#add(group, count, host, whereabouts);
  }

  #add(group: DomainCounts, count: number, host: number, whereabouts: Whereabouts): void {
    addTo(group, count, host, whereabouts);
    this.#log?.push(() => addTo(group, -count, host, whereabouts));
  }

  /** Nothing of this batch is placed yet. */
  mark(): void {
    this.#markedHost = this.#nextHost;
    this.#noted = [];
    for (const key of this.groups.keys.list) key.foreknown = key.values.length;
    for (const group of [...this.groups.counts, ...this.groups.owners]) group.mark();
  }

  /**
   * Since the mark a claim came to a domain that spreads of pods placed before did not reckon with: once rewound, they do.
   * A NodePool that these pods do not tolerate can bring one, and for kube-scheduler it counts.
   */
  get isSurprised(): boolean {
    return this.#surprised;
  }

  /** As at the mark, but for the domains that were a surprise since. */
  rewind(): void {
    this.#forgetNodes();
    for (const group of [...this.groups.counts, ...this.groups.owners]) group.rewind();
  }

  /** As at the mark. */
  restart(): void {
    this.#forgetNodes();
    for (const group of [...this.groups.counts, ...this.groups.owners]) group.restart();
  }

  #forgetNodes(): void {
    this.takeSurprises();
    this.#nextHost = this.#markedHost;
    for (const whereabouts of this.#noted) whereabouts.noted = false;
    this.#noted = [];
  }

  /** A node or claim is there, or has become another: spreads must reckon with its domain. */
  note(place: Place): void {
    const { whereabouts } = place;
    if (whereabouts.noted) return;
    whereabouts.noted = true;
    this.#noted.push(whereabouts);
    this.#log?.push(() => {
      whereabouts.noted = false;
      this.#noted.pop();
    });
    this.#noteReal(place);
  }

  ofLabels(labels: Labels, taints: readonly Taint[]): Whereabouts {
    const domains = this.groups.keys.list.map((key) => {
      const value = Object.hasOwn(labels, key.name) ? labels[key.name] : undefined;
      return value === undefined ? [] : [key.domainOf(value)];
    });
    return { domains, is: { kind: "labels", labels }, taints, passes: new Map(), noted: false };
  }

  /** Of a claim that was made earlier and is not launched yet. */
  ofNode({ is, taints }: ExistingNode): Whereabouts {
    if ("labels" in is) return this.ofLabels(is.labels, taints);
    const { requirements } = is;
    const domains = this.groups.keys.list.map((key) => this.#openDomains(key, requirements));
    return { domains, is: { kind: "requirements", requirements }, taints, passes: new Map(), noted: false };
  }

  /** Of a claim of this batch. */
  ofSet(pool: CandidatePool, set: RequirementSet): Whereabouts {
    let bySet = this.#ofSets.get(pool);
    if (bySet === undefined) {
      bySet = new Map();
      this.#ofSets.set(pool, bySet);
    }
    const known = bySet.get(set.id);
    if (known !== undefined) return known;
    const domains = this.groups.keys.list.map((key) => this.poolDomains.of(pool, set, key));
    const is = { kind: "set" as const, set, pool };
    const made: Whereabouts = { domains, is, taints: pool.taints, passes: new Map(), noted: false };
    bySet.set(set.id, made);
    return made;
  }

  #openDomains(key: TopologyKey, requirements: Requirements): readonly number[] {
    const requirement = requirements.get(key.name);
    if (requirement !== undefined && !requirement.complement) {
      return requirement.values.map((value) => key.domainOf(value));
    }
    return this.#sets.mayBeUndefined(key.name) ? [...key.values.keys()] : [];
  }

  #noteReal(place: Place): void {
    for (const group of this.groups.counts) {
      if (group.foreseen === undefined) continue;
      for (const domain of this.#countingDomains(group, place)) {
        const isNew = !group.real.has(domain);
        if (group.noteReal(domain)) {
          this.#surprised = true;
          this.#surprises.push({ group, domain });
        }
        if (isNew) this.#log?.push(() => group.real.delete(domain));
      }
    }
  }

  #countingDomains({ filter, key }: DomainCounts, { host, whereabouts }: Place): readonly number[] {
    const domains = key.index < 0 ? [host] : (whereabouts.domains[key.index] ?? []);
    if (filter === undefined) return domains;
    if (!passes(filter, whereabouts, this.#sets)) return [];
    return key.index < 0 ? domains : passingDomains(filter, key, whereabouts, this.#sets, this.poolDomains);
  }
}

function addTo(group: DomainCounts, count: number, host: number, { domains }: Whereabouts): void {
  if (group.key.index < 0) group.addOnHost(host, count);
  else group.add(domains[group.key.index] ?? [], count);
}
