/**
 * How many pods of one kind are in each domain of one topology key. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/topologygroup.go. It differs: what is counted and what is asked of the counts
 * are apart, so rules with other skews share one count; pods on a claim that may still come to be in several domains are
 * known to be in one of them, and counted where they are once that is settled.
 */

import type { NodeFilter } from "./node-filter.ts";
import type { PodSelector } from "./pod-selector.ts";
import type { TopologyKey } from "./topology-key.ts";

export class DomainCounts {
  readonly id: number;
  readonly key: TopologyKey;
  /** Which pods count. Of owner counts: whom their owners keep away. */
  readonly selector: PodSelector;
  /** Which nodes count; undefined: all that have the label. */
  readonly filter: NodeFilter | undefined;
  /** Nodes of these domains are there, or will be: a spread must reckon with them, beyond what NodePools could make. */
  readonly real = new Set<number>();
  /** Domains that every class whose spread asks knows to be possible; undefined: no spread asks. */
  foreseen: ReadonlySet<number> | undefined;
  /** Pods counted anywhere, settled or not. */
  total = 0;
  /** Of `total`, those whose domain is still open. */
  unsettled = 0;
  #settled: number[] = [];
  #open: number[] = [];
  #byHost = new Map<number, number>();
  readonly #isHost: boolean;
  /** Real domains that showed only after pods had been placed without reckoning with them. */
  readonly #late = new Set<number>();
  #marked: (() => void) | undefined;

  constructor(id: number, key: TopologyKey, selector: PodSelector, filter: NodeFilter | undefined) {
    this.id = id;
    this.key = key;
    this.selector = selector;
    this.filter = filter;
    this.#isHost = key.index < 0;
  }

  /** Pods that are in the domain for sure. */
  at(domain: number): number {
    return (this.#isHost ? this.#byHost.get(domain) : this.#settled[domain]) ?? 0;
  }

  /** Pods that are in the domain or may come to be. */
  mostAt(domain: number): number {
    return this.at(domain) + (this.unsettled === 0 ? 0 : (this.#open[domain] ?? 0));
  }

  /** `count` may be negative: they are taken away again. */
  add(domains: readonly number[], count: number): void {
    const [first] = domains;
    if (first === undefined) return;
    this.total += count;
    if (domains.length === 1) {
      this.#settled[first] = (this.#settled[first] ?? 0) + count;
      return;
    }
    this.unsettled += count;
    for (const domain of domains) this.#open[domain] = (this.#open[domain] ?? 0) + count;
  }

  addOnHost(host: number, count: number): void {
    this.total += count;
    this.#byHost.set(host, (this.#byHost.get(host) ?? 0) + count);
  }

  /** A spread that knows of these domains asks. */
  askedBySpread(possible: readonly number[]): void {
    const { foreseen } = this;
    this.foreseen = new Set(foreseen === undefined ? possible : possible.filter((domain) => foreseen.has(domain)));
  }

  /** A node of that domain is there or will be; says whether that comes as a surprise to pods that are placed. */
  noteReal(domain: number): boolean {
    if (this.real.has(domain)) return false;
    this.real.add(domain);
    if (this.#isHost || this.total === 0 || this.foreseen?.has(domain) === true) return false;
    this.#late.add(domain);
    return true;
  }

  /** Remembers the counts for `rewind`. */
  mark(): void {
    const [settled, open, byHost] = [[...this.#settled], [...this.#open], new Map(this.#byHost)];
    const { total, unsettled, real } = this;
    const known = new Set(real);
    this.#marked = () => {
      [this.#settled, this.#open, this.#byHost] = [[...settled], [...open], new Map(byHost)];
      [this.total, this.unsettled] = [total, unsettled];
      for (const domain of real) if (!known.has(domain) && !this.#late.has(domain)) real.delete(domain);
    };
  }

  rewind(): void {
    this.#marked?.();
  }

  /** As `rewind`, and late domains will be a surprise again. */
  restart(): void {
    this.#late.clear();
    this.rewind();
  }
}
