/**
 * Where pods are and which counts they change. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/topology.go. It differs in method: rules alike share one count, found once a
 * class of pods; which counts a pod adds to is looked up by its labels and remembered for all pods labelled alike.
 */
import type { Pod, Taint } from "#api/core-v1/pod.ts";
import type { Labels } from "#api/label-selector.ts";
import type { CandidatePool } from "../claims/candidate-pool.ts";
import type { ExistingNode } from "../nodes/existing-node.ts";
import type { RequirementSet, RequirementSets } from "../requirements/requirement-set.ts";
import type { UndoLog } from "../undo-log.ts";
import type { DomainCounts } from "./domain-counts.ts";
import { GroupIndex } from "./group-index.ts";
import { passes } from "./node-filter.ts";
import { requiredAntiAffinities } from "./pod-rules.ts";
import { identityOf, type PodIdentity, type PodSelectors } from "./pod-selector.ts";
import type { PoolDomains } from "./pool-domains.ts";
import { RealDomains, type Surprise } from "./real-domains.ts";
import { TopologyGroups } from "./topology-groups.ts";
import type { Place, Whereabouts } from "./whereabouts.ts";
import { WhereaboutsBook } from "./whereabouts-book.ts";

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

export const noMembership: Membership = { counts: [], owns: [] };

export class Topology {
  readonly groups = new TopologyGroups();
  readonly #sets: RequirementSets;
  readonly #selectors: PodSelectors;
  readonly #hosts = new Map<string, number>();
  readonly #whereabouts: WhereaboutsBook;
  readonly #real: RealDomains;
  #nextHost = 0;
  #markedHost = 0;
  #log: UndoLog | undefined;
  #meaning = new GroupIndex([], []);

  constructor(sets: RequirementSets, selectors: PodSelectors) {
    this.#sets = sets;
    this.#selectors = selectors;
    this.#whereabouts = new WhereaboutsBook(this.groups.keys, sets);
    this.#real = new RealDomains(this.groups, sets, this.poolDomains);
  }

  get poolDomains(): PoolDomains {
    return this.#whereabouts.poolDomains;
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
    return this.#real.takeSurprises();
  }

  /** Spreads reckon with the domain. */
  foresee(surprise: Surprise): void {
    this.#real.foresee(surprise, this.#log);
  }

  /** The host is none any more: spreads need not reckon with it. */
  forgetHost(host: number): void {
    this.#real.forgetHost(host, this.#log);
  }

  /** All groups exist by now: finds out what is where. */
  start(neighbours: readonly Neighbour[]): void {
    this.#meaning = new GroupIndex(this.groups.counts, this.groups.labelKeys);
    if (this.groups.isEmpty) return;
    for (const { name, labels, taints, pods } of neighbours) {
      const place = { host: this.hostOf(name), whereabouts: this.ofLabels(labels, taints) };
      this.note(place);
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
    this.#real.mark();
    for (const key of this.groups.keys.list) key.foreknown = key.values.length;
    for (const group of [...this.groups.counts, ...this.groups.owners]) group.mark();
  }

  /**
   * Since the mark a claim came to a domain that spreads of pods placed before did not reckon with: once rewound, they do.
   * A NodePool that these pods do not tolerate can bring one, and for kube-scheduler it counts.
   */
  get isSurprised(): boolean {
    return this.#real.isSurprised;
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
    this.#nextHost = this.#markedHost;
    this.#real.rewind();
  }

  /** A node or claim is there, or has become another: spreads must reckon with its domain. */
  note(place: Place): void {
    if (!place.whereabouts.noted) this.#real.note(place, this.#log);
  }

  /** As `note`, for a node or a claim that is there before the first pod is placed. */
  noteStanding(place: Place): void {
    this.note(place);
    this.#real.noteHost(place);
  }

  ofLabels(labels: Labels, taints: readonly Taint[]): Whereabouts {
    return this.#whereabouts.ofLabels(labels, taints);
  }

  /** Of a claim that was made earlier and is not launched yet. */
  ofNode(node: ExistingNode): Whereabouts {
    return this.#whereabouts.ofNode(node);
  }

  /** Of a claim of this batch. */
  ofSet(pool: CandidatePool, set: RequirementSet): Whereabouts {
    return this.#whereabouts.ofSet(pool, set);
  }
}

function addTo(group: DomainCounts, count: number, host: number, { domains }: Whereabouts): void {
  if (group.key.index < 0) group.addOnHost(host, count);
  else group.add(domains[group.key.index] ?? [], count);
}
