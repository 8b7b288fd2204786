/**
 * Every count of a problem, each made once: rules that count the same pods over the same nodes share it. Karpenter
 * counterpart: pkg/controllers/provisioning/scheduling/topologygroup.go, Hash. It differs: the node filter with its values is
 * a part of what is the same, the skew is not.
 */
import type { Toleration } from "#api/core-v1/pod.ts";
import type { RequirementSet } from "../requirements/requirement-set.ts";
import { DomainCounts } from "./domain-counts.ts";
import type { NodeFilter } from "./node-filter.ts";
import type { NearRule, PodRules, SpreadRule } from "./pod-rules.ts";
import type { PodSelector } from "./pod-selector.ts";
import { type TopologyKey, TopologyKeys } from "./topology-key.ts";

/** What the node filter of a pod's spread is made of. */
export interface FilterOwner {
  /** nodeSelector and required node affinity, nothing else. */
  readonly required: readonly RequirementSet[];
  readonly tolerations: readonly Toleration[];
}

export class TopologyGroups {
  readonly keys = new TopologyKeys();
  readonly #counts = new Map<string, DomainCounts>();
  readonly #owners = new Map<string, DomainCounts>();
  readonly #filters = new Map<string, NodeFilter>();

  get counts(): readonly DomainCounts[] {
    return [...this.#counts.values()];
  }

  /** Of pods that keep others away; `selector` says whom. */
  get owners(): readonly DomainCounts[] {
    return [...this.#owners.values()];
  }

  get #nextId(): number {
    return this.#counts.size + this.#owners.size;
  }

  get isEmpty(): boolean {
    return this.#counts.size + this.#owners.size === 0;
  }

  /** Label keys that some selector reads, sorted. */
  get labelKeys(): readonly string[] {
    return [...new Set([...this.counts, ...this.owners].flatMap(({ selector }) => selector.keys))].sort();
  }

  ofSpread(rule: SpreadRule, rules: PodRules, owner: FilterOwner): DomainCounts {
    const filter = this.#filterOf(rule, rules, owner);
    return this.#countsOf(this.keys.keyOf(rule.topologyKey), rule.selector, filter);
  }

  ofNear({ topologyKey, selector }: NearRule): DomainCounts {
    return this.#countsOf(this.keys.keyOf(topologyKey), selector, undefined);
  }

  ofOwners({ topologyKey, selector }: NearRule): DomainCounts {
    const text = `${topologyKey} ${selector.text}`;
    const known = this.#owners.get(text);
    if (known !== undefined) return known;
    const counts = new DomainCounts(this.#nextId, this.keys.keyOf(topologyKey), selector, undefined);
    this.#owners.set(text, counts);
    return counts;
  }

  #countsOf(key: TopologyKey, selector: PodSelector, filter: NodeFilter | undefined): DomainCounts {
    const text = `${key.name} ${filter?.id ?? ""} ${selector.text}`;
    const known = this.#counts.get(text);
    if (known !== undefined) return known;
    const counts = new DomainCounts(this.#nextId, key, selector, filter);
    this.#counts.set(text, counts);
    return counts;
  }

  /** Undefined when every node passes that has the label. */
  #filterOf(rule: SpreadRule, rules: PodRules, owner: FilterOwner): NodeFilter | undefined {
    const { required, tolerations } = owner;
    const asksAnything = required.length !== 1 || required.some(({ requirements }) => requirements.size > 0);
    const alternatives = rule.honorsAffinity && asksAnything ? required : undefined;
    const keys = [...new Set(rules.spreads.map(({ topologyKey }) => this.keys.keyOf(topologyKey)))]
      .filter(({ index }) => index >= 0)
      .sort((a, b) => a.index - b.index);
    const own = this.keys.keyOf(rule.topologyKey);
    if (alternatives === undefined && !rule.honorsTaints && keys.every((key) => key === own)) return undefined;
    const text = JSON.stringify([
      alternatives?.map(({ id }) => id) ?? null,
      rule.honorsTaints ? tolerations : null,
      keys.map(({ index }) => index),
    ]);
    const known = this.#filters.get(text);
    if (known !== undefined) return known;
    const filter = {
      id: this.#filters.size,
      alternatives,
      tolerations: rule.honorsTaints ? tolerations : undefined,
      keys,
    };
    this.#filters.set(text, filter);
    return filter;
  }
}
