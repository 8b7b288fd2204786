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
  /** Some spread asks it, so real domains matter. */
  ofSpread = false;
  /** Pods counted anywhere, settled or not. */
  total = 0;
  /** Of `total`, those whose domain is still open. */
  unsettled = 0;
  #settled: number[] = [];
  #open: number[] = [];
  #byHost = new Map<number, number>();
  readonly #isHost: boolean;
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

  /** Remembers the counts for `rewind`. */
  mark(): void {
    const [settled, open, byHost] = [[...this.#settled], [...this.#open], new Map(this.#byHost)];
    const { total, unsettled, real } = this;
    const known = new Set(real);
    this.#marked = () => {
      [this.#settled, this.#open, this.#byHost] = [[...settled], [...open], new Map(byHost)];
      [this.total, this.unsettled] = [total, unsettled];
      for (const domain of real) if (!known.has(domain)) real.delete(domain);
    };
  }

  rewind(): void {
    this.#marked?.();
  }
}
