/** The rules between pods in a form that can be counted: which pods a term means, and over which label. */
import type { Namespace } from "#api/core-v1/cluster-objects.ts";
import type { LabelSelector } from "#api/core-v1/meta.ts";
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from "#api/core-v1/pod.ts";
import type { Problem } from "../../../cli/solve/problem.ts";
import { mergedSelector, selectorMatches } from "./matching.ts";

/** Which pods count. */
export interface PodTerm {
  /** Equal for equal terms. */
  readonly id: string;
  readonly topologyKey: string;
  /** "all", or names. */
  readonly namespaces: ReadonlySet<string> | "all";
  /** A pod counts when all of them match. */
  readonly selectors: readonly (LabelSelector | undefined)[];
}

export interface SpreadRule {
  readonly term: PodTerm;
  readonly constraint: TopologySpreadConstraint;
}

/** The hard rules of one pod. */
export interface PodRules {
  readonly spreads: readonly SpreadRule[];
  /** Kubernetes: a pod satisfies required affinity only if it matches all of the terms; one entry a topology key. */
  readonly affinities: readonly PodTerm[];
  readonly antiAffinities: readonly PodTerm[];
}

export function podRules(problem: Problem, pod: Pod): PodRules {
  const { affinity, topologySpreadConstraints = [] } = pod.spec;
  const together = affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const apart = affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const own = pod.metadata.namespace ?? "default";
  return {
    spreads: topologySpreadConstraints
      .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule")
      .map((constraint) => {
        const { labelSelector, matchLabelKeys, topologyKey } = constraint;
        const selector = mergedSelector(labelSelector, pod.metadata.labels, matchLabelKeys, undefined);
        return { constraint, term: podTerm(topologyKey, new Set([own]), [selector]) };
      }),
    affinities: allAtOnce(together.map((term) => affinityTerm(problem, pod, term))),
    antiAffinities: apart.map((term) => affinityTerm(problem, pod, term)),
  };
}

export function affinityTerm(problem: Problem, pod: Pod, term: PodAffinityTerm): PodTerm {
  const { labelSelector, matchLabelKeys, mismatchLabelKeys, namespaces, namespaceSelector, topologyKey } = term;
  const selector = mergedSelector(labelSelector, pod.metadata.labels, matchLabelKeys, mismatchLabelKeys);
  const own = pod.metadata.namespace ?? "default";
  return podTerm(topologyKey, namespacesOf(problem, own, namespaces, namespaceSelector), [selector]);
}

/** Kubernetes: neither names nor a selector mean the pod's own namespace; an empty selector means every one. */
function namespacesOf(
  { objects }: Problem,
  own: string,
  names: readonly string[] | undefined,
  selector: LabelSelector | undefined,
): ReadonlySet<string> | "all" {
  if (selector === undefined) return new Set((names ?? []).length === 0 ? [own] : names);
  const empty = Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;
  if (empty) return "all";
  const all = objects.filter(({ kind }) => kind === "Namespace") as readonly Namespace[];
  const selected = all.filter(({ metadata }) => selectorMatches(selector, metadata.labels));
  return new Set([...(names ?? []), ...selected.map(({ metadata }) => metadata.name)]);
}

/** A pod counts for any of the terms only when it matches all of them. */
function allAtOnce(terms: readonly PodTerm[]): readonly PodTerm[] {
  if (terms.length <= 1) return terms;
  const selectors = terms.flatMap((term) => term.selectors);
  const restricted = terms.map(({ namespaces }) => namespaces).filter((names) => names !== "all");
  const [first, ...rest] = restricted;
  const namespaces =
    first === undefined ? "all" : new Set([...first].filter((name) => rest.every((other) => other.has(name))));
  return terms.map(({ topologyKey }) => podTerm(topologyKey, namespaces, selectors));
}

function podTerm(
  topologyKey: string,
  namespaces: ReadonlySet<string> | "all",
  selectors: readonly (LabelSelector | undefined)[],
): PodTerm {
  const names = namespaces === "all" ? "all" : [...namespaces].sort();
  return {
    id: JSON.stringify([topologyKey, names, selectors.map((one) => one ?? null)]),
    topologyKey,
    namespaces,
    selectors,
  };
}

export function meansPod({ namespaces, selectors }: PodTerm, pod: Pod): boolean {
  if (namespaces !== "all" && !namespaces.has(pod.metadata.namespace ?? "default")) return false;
  return selectors.every((selector) => selectorMatches(selector, pod.metadata.labels));
}
