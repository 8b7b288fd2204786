/** Which pods are where while an order of binding is tried, and what that means for the next one. */
import type { Pod } from "#api/core-v1/pod.ts";
import type { Rule } from "./answer.ts";
import { type Labels, repellingTaint, selectsNode } from "./matching.ts";
import type { Place } from "./places.ts";
import { meansPod, type PodRules, type PodTerm, type SpreadRule } from "./pod-rules.ts";

/** Values of a label that nodes of the NodePools could bring, for a pod that goes to a node with such labels. */
export type PossibleDomains = (pod: Pod, topologyKey: string, labels: Labels) => ReadonlySet<string>;

export interface Waiting {
  readonly pod: Pod;
  readonly place: Place;
  readonly rules: PodRules;
}

export interface Obstacle {
  readonly rule: Rule;
  readonly message: string;
}

/** Pods that count for one spread of one workload. */
interface Ledger {
  readonly eligible: ReadonlySet<Place>;
  /** By domain. */
  readonly counts: Map<string, number>;
  readonly possible: Map<Place, ReadonlySet<string>>;
}

const hostKey = "kubernetes.io/hostname";

export class BindingState {
  readonly #places: readonly Place[];
  readonly #possible: PossibleDomains;
  readonly #ledgers = new Map<SpreadRule, Ledger>();
  readonly #terms = new Map<string, PodTerm>();
  /** By term and domain: bound pods that the term means. */
  readonly #meant = new Map<string, Map<string, number>>();
  /** By term and domain: bound pods that keep others away with it. */
  readonly #keepers = new Map<string, Map<string, number>>();

  constructor(
    places: readonly Place[],
    all: readonly Waiting[],
    running: readonly Waiting[],
    possible: PossibleDomains,
  ) {
    this.#places = places;
    this.#possible = possible;
    for (const { pod, rules } of [...all, ...running]) {
      for (const term of [...rules.affinities, ...rules.antiAffinities]) this.#terms.set(term.id, term);
      for (const spread of rules.spreads)
        if (!this.#ledgers.has(spread)) this.#ledgers.set(spread, this.#ledger(pod, rules, spread));
    }
    for (const one of running) this.bind(one);
  }

  bind({ pod, place, rules }: Waiting): void {
    // Kubernetes: a pod that is going away no longer counts.
    if (pod.metadata.deletionTimestamp !== undefined) return;
    for (const [{ term }, { eligible, counts }] of this.#ledgers) {
      if (eligible.has(place) && meansPod(term, pod)) increase(counts, place.labels[term.topologyKey]);
    }
    for (const term of this.#terms.values()) {
      if (meansPod(term, pod)) increase(countsOf(this.#meant, term.id), place.labels[term.topologyKey]);
    }
    for (const term of rules.antiAffinities) increase(countsOf(this.#keepers, term.id), place.labels[term.topologyKey]);
  }

  /** Why the pod cannot be bound to its place now. */
  obstacle(one: Waiting): Obstacle | undefined {
    for (const spread of one.rules.spreads) {
      const message = this.#spreadObstacle(one, spread);
      if (message !== undefined) return { rule: "spread", message };
    }
    const apart = this.#antiAffinityObstacle(one);
    if (apart !== undefined) return { rule: "anti-affinity", message: apart };
    const together = this.#affinityObstacle(one);
    return together === undefined ? undefined : { rule: "affinity", message: together };
  }

  /** For how many of these spreads, those of its own workload left out, the pod counts. */
  burden({ pod, rules }: Waiting, asked: ReadonlySet<SpreadRule>): number {
    return [...asked].filter((spread) => !rules.spreads.includes(spread) && meansPod(spread.term, pod)).length;
  }

  /** Pods that count for its spreads and are where it goes. */
  crowd({ place, rules }: Waiting): number {
    return rules.spreads.reduce((sum, spread) => {
      const domain = place.labels[spread.term.topologyKey] ?? "";
      return sum + (this.#ledgers.get(spread)?.counts.get(domain) ?? 0);
    }, 0);
  }

  /** How many workloads' spreads the pod counts for. */
  weight({ pod }: Waiting): number {
    return [...this.#ledgers.keys()].filter(({ term }) => meansPod(term, pod)).length;
  }

  /** Kubernetes: nodes with all the keys of the pod's hard spreads that pass the constraint's policies. */
  #ledger({ spec }: Pod, { spreads }: PodRules, { term, constraint }: SpreadRule): Ledger {
    const { nodeAffinityPolicy = "Honor", nodeTaintsPolicy = "Ignore" } = constraint;
    const eligible = this.#places.filter(
      ({ labels, taints }) =>
        spreads.every((one) => labels[one.term.topologyKey] !== undefined) &&
        (nodeAffinityPolicy === "Ignore" || selectsNode(spec, labels)) &&
        (nodeTaintsPolicy === "Ignore" || repellingTaint(spec.tolerations, taints) === undefined),
    );
    const counts = new Map(eligible.map(({ labels }) => [labels[term.topologyKey] ?? "", 0]));
    return { eligible: new Set(eligible), counts, possible: new Map() };
  }

  #spreadObstacle({ pod, place }: Waiting, spread: SpreadRule): string | undefined {
    const { topologyKey } = spread.term;
    const { maxSkew, minDomains = 1 } = spread.constraint;
    const domain = place.labels[topologyKey];
    const ledger = this.#ledgers.get(spread);
    if (domain === undefined || ledger === undefined) return `its place has no ${topologyKey}`;
    const { counts } = ledger;
    // Every new node is a host of its own, so hosts that could be made are not waited for.
    const others = topologyKey === hostKey ? new Set<string>() : this.#possibleFor(pod, place, spread, ledger);
    const empty = [...others].filter((value) => !counts.has(value));
    const fewest = counts.size + empty.length < minDomains || empty.length > 0 ? 0 : Math.min(...counts.values());
    const self = meansPod(spread.term, pod) ? 1 : 0;
    const skew = (counts.get(domain) ?? 0) + self - fewest;
    if (skew <= maxSkew) return undefined;
    const shown = [
      ...[...counts].map(([value, count]) => `${value}: ${count}`),
      ...empty.map((value) => `${value}: 0`),
    ];
    return `one more in ${topologyKey} ${domain} makes a skew of ${skew} (${shown.slice(0, 8).join(", ")}), maxSkew is ${maxSkew}`;
  }

  #possibleFor(pod: Pod, place: Place, { term }: SpreadRule, { possible }: Ledger): ReadonlySet<string> {
    const known = possible.get(place) ?? this.#possible(pod, term.topologyKey, place.labels);
    possible.set(place, known);
    return known;
  }

  #antiAffinityObstacle({ pod, place, rules }: Waiting): string | undefined {
    for (const term of rules.antiAffinities) {
      const domain = place.labels[term.topologyKey];
      if (domain !== undefined && this.#inDomain(term, domain) > 0) return `a pod it keeps away from is in ${domain}`;
    }
    for (const [id, keepers] of this.#keepers) {
      const term = this.#terms.get(id);
      const domain = term === undefined ? undefined : place.labels[term.topologyKey];
      if (term === undefined || domain === undefined || !meansPod(term, pod)) continue;
      if ((keepers.get(domain) ?? 0) > 0) return `a pod in ${domain} keeps it away`;
    }
    return undefined;
  }

  #affinityObstacle({ pod, place, rules }: Waiting): string | undefined {
    const missing = rules.affinities.find(({ topologyKey }) => place.labels[topologyKey] === undefined);
    if (missing !== undefined) return `its place has no ${missing.topologyKey}`;
    const unmet = rules.affinities.find((term) => this.#inDomain(term, place.labels[term.topologyKey] ?? "") === 0);
    if (unmet === undefined) return undefined;
    // Kubernetes: the first of a group that wants its own company may start anywhere.
    const alone = rules.affinities.every((term) => (this.#meant.get(term.id)?.size ?? 0) === 0 && meansPod(term, pod));
    if (alone) return undefined;
    return `no pod that it wants to be with is in ${unmet.topologyKey} ${place.labels[unmet.topologyKey]}`;
  }

  #inDomain(term: PodTerm, domain: string): number {
    return this.#meant.get(term.id)?.get(domain) ?? 0;
  }
}

function countsOf(all: Map<string, Map<string, number>>, id: string): Map<string, number> {
  const counts = all.get(id) ?? new Map<string, number>();
  all.set(id, counts);
  return counts;
}

/** A node without the label is in no domain and counts nowhere. */
function increase(counts: Map<string, number>, domain: string | undefined): void {
  if (domain !== undefined) counts.set(domain, (counts.get(domain) ?? 0) + 1);
}
