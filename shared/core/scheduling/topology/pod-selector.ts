/**
 * Which pods a rule between pods means. Karpenter counterpart: pkg/controllers/provisioning/scheduling/topology.go,
 * buildNamespaceList, and topologygroup.go. It differs: `matchLabelKeys` and `mismatchLabelKeys` work for affinity too; a
 * missing selector selects nothing everywhere; an empty namespaceSelector selects every namespace, also one of which no
 * object is at hand.
 */
import type { Namespace } from "#api/core-v1/cluster-objects.ts";
import type { LabelSelector, LabelSelectorRequirement } from "#api/core-v1/meta.ts";
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from "#api/core-v1/pod.ts";
import { compileSelector, type Labels, labelOf } from "#api/label-selector.ts";

/** All that a rule of another pod can see of a pod. */
export interface PodIdentity {
  readonly namespace: string;
  readonly labels: Labels;
}

export function identityOf({ metadata }: Pod): PodIdentity {
  return { namespace: metadata.namespace ?? "default", labels: metadata.labels ?? {} };
}

export interface PodSelector {
  /** Canonical: equal for equal selectors. */
  readonly text: string;
  /** Label keys that it reads, sorted. */
  readonly keys: readonly string[];
  /** One label (`key=value`) that each selected pod has, if there is one: finds the candidates. */
  readonly anchor: string | undefined;
  readonly selects: (pod: PodIdentity) => boolean;
  /** For people: `app=web, tier in [a, b]`. */
  readonly words: string;
}

/** Kubernetes sets this label on every namespace. */
const namespaceNameLabel = "kubernetes.io/metadata.name";

/** Makes each selector once. */
export class PodSelectors {
  readonly #namespaces: ReadonlyMap<string, Labels>;
  readonly #byText = new Map<string, PodSelector>();

  constructor(namespaces: readonly Namespace[]) {
    this.#namespaces = new Map(namespaces.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
  }

  ofSpread({ labelSelector, matchLabelKeys }: TopologySpreadConstraint, owner: PodIdentity): PodSelector {
    return this.#selector(withOwnLabels(labelSelector, owner, matchLabelKeys, undefined), [owner.namespace], undefined);
  }

  ofTerm(term: PodAffinityTerm, owner: PodIdentity): PodSelector {
    const { labelSelector, matchLabelKeys, mismatchLabelKeys, namespaces = [], namespaceSelector } = term;
    const own = namespaceSelector === undefined && namespaces.length === 0 ? [owner.namespace] : namespaces;
    return this.#selector(
      withOwnLabels(labelSelector, owner, matchLabelKeys, mismatchLabelKeys),
      own,
      namespaceSelector,
    );
  }

  /** Selects what each of them selects. */
  ofAll(selectors: readonly PodSelector[]): PodSelector {
    const distinct = [...new Map(selectors.map((one) => [one.text, one])).values()];
    const [first] = distinct;
    if (first !== undefined && distinct.length === 1) return first;
    const sorted = distinct.sort((a, b) => (a.text < b.text ? -1 : 1));
    const text = sorted.map((one) => one.text).join(" and ");
    return this.#interned(text, () => ({
      text,
      keys: [...new Set(sorted.flatMap(({ keys }) => keys))].sort(),
      anchor: sorted.find(({ anchor }) => anchor !== undefined)?.anchor,
      selects: (pod) => sorted.every(({ selects }) => selects(pod)),
      words: sorted.map(({ words }) => words).join(" and "),
    }));
  }

  #selector(
    labels: LabelSelector | undefined,
    names: readonly string[],
    namespaceSelector: LabelSelector | undefined,
  ): PodSelector {
    const text = JSON.stringify([[...names].sort(), canonical(namespaceSelector), canonical(labels)]);
    return this.#interned(text, () => {
      const matches = compileSelector(labels);
      const isNamespace = this.#namespaceCheck(names, namespaceSelector);
      return {
        text,
        keys: keysOf(labels),
        anchor: anchorOf(labels),
        selects: (pod) => isNamespace(pod.namespace) && matches(pod.labels),
        words: wordsOf(labels, names, namespaceSelector),
      };
    });
  }

  #interned(text: string, make: () => PodSelector): PodSelector {
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    const made = make();
    this.#byText.set(text, made);
    return made;
  }

  #namespaceCheck(names: readonly string[], selector: LabelSelector | undefined): (namespace: string) => boolean {
    const named = new Set(names);
    if (selector === undefined) return (namespace) => named.has(namespace);
    const matches = compileSelector(selector);
    const answers = new Map<string, boolean>();
    return (namespace) => {
      const known = answers.get(namespace);
      if (known !== undefined) return known;
      const labels = { [namespaceNameLabel]: namespace, ...this.#namespaces.get(namespace) };
      const answer = named.has(namespace) || matches(labels);
      answers.set(namespace, answer);
      return answer;
    };
  }
}

/** Kubernetes: of the keys those count that the pod itself has a label for. */
function withOwnLabels(
  selector: LabelSelector | undefined,
  { labels }: PodIdentity,
  matchKeys: readonly string[] | undefined,
  mismatchKeys: readonly string[] | undefined,
): LabelSelector | undefined {
  if (selector === undefined || (matchKeys === undefined && mismatchKeys === undefined)) return selector;
  const added = (keys: readonly string[] | undefined, operator: "In" | "NotIn"): readonly LabelSelectorRequirement[] =>
    (keys ?? []).flatMap((key) => {
      const value = labelOf(labels, key);
      return value === undefined ? [] : [{ key, operator, values: [value] }];
    });
  const more = [...added(matchKeys, "In"), ...added(mismatchKeys, "NotIn")];
  return { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), ...more] };
}

function canonical(selector: LabelSelector | undefined): unknown {
  if (selector === undefined) return null;
  const labels = Object.entries(selector.matchLabels ?? {});
  const expressions = selector.matchExpressions ?? [];
  return [
    labels.length > 1 ? labels.sort(([a], [b]) => (a < b ? -1 : 1)) : labels,
    expressions.map(({ key, operator, values = [] }) => JSON.stringify([key, operator, [...values].sort()])).sort(),
  ];
}

function keysOf(selector: LabelSelector | undefined): readonly string[] {
  const expressions = (selector?.matchExpressions ?? []).map(({ key }) => key);
  return [...new Set([...Object.keys(selector?.matchLabels ?? {}), ...expressions])].sort();
}

function wordsOf(
  labels: LabelSelector | undefined,
  names: readonly string[],
  namespaceSelector: LabelSelector | undefined,
): string {
  const own = labels === undefined ? "nothing" : labelWords(labels);
  if (namespaceSelector === undefined) return names.length === 1 ? own : `${own} in namespaces ${names.join(", ")}`;
  const others = labelWords(namespaceSelector);
  return `${own} in namespaces ${[...names, others === anyWords ? "of all names" : `with ${others}`].join(", ")}`;
}

const anyWords = "any labels";

function labelWords({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const parts = [
    ...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`),
    ...matchExpressions.map(({ key, operator, values = [] }) => {
      const list = values.length === 0 ? "" : ` [${values.join(", ")}]`;
      return `${key} ${operator}${list}`;
    }),
  ];
  return parts.length === 0 ? anyWords : parts.join(", ");
}

function anchorOf(selector: LabelSelector | undefined): string | undefined {
  for (const [key, value] of Object.entries(selector?.matchLabels ?? {})) return anchorText(key, value);
  for (const { key, operator, values = [] } of selector?.matchExpressions ?? []) {
    const [only] = values;
    if (operator === "In" && values.length === 1 && only !== undefined) return anchorText(key, only);
  }
  return undefined;
}

export function anchorText(key: string, value: string): string {
  return `${key}=${value}`;
}
