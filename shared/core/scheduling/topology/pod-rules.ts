/**
 * The rules between pods that one pod states, read from its spec. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/topology.go, newForTopologies and newForAffinities. It differs: required
 * affinity terms count together, as for kube-scheduler: a pod that is to be near must be selected by all of them.
 */
import type { PodAffinityTerm, PodSpec, TopologySpreadConstraint } from "#api/core-v1/pod.ts";
import { hostnameLabel } from "#api/karpenter-v1/labels.ts";
import { normalizedKey } from "../requirements/requirement.ts";
import type { PodIdentity, PodSelector, PodSelectors } from "./pod-selector.ts";

export interface SpreadRule {
  readonly topologyKey: string;
  readonly selector: PodSelector;
  readonly maxSkew: number;
  readonly minDomains: number;
  /** Kubernetes' policies: do nodes that the pod's node affinity or tolerations exclude count as domains? */
  readonly honorsAffinity: boolean;
  readonly honorsTaints: boolean;
}

/** One topology key of a pod affinity or anti-affinity. */
export interface NearRule {
  readonly topologyKey: string;
  readonly selector: PodSelector;
}

export interface PodRules {
  readonly spreads: readonly SpreadRule[];
  readonly affinities: readonly NearRule[];
  readonly antiAffinities: readonly NearRule[];
}

/** What a pod must have, and what it would like: the heaviest wish first, soft spreads as written. */
export interface StatedRules {
  readonly required: PodRules;
  readonly preferredAffinities: readonly NearRule[];
  readonly preferredAntiAffinities: readonly NearRule[];
  readonly softSpreads: readonly SpreadRule[];
}

export const noRules: PodRules = { spreads: [], affinities: [], antiAffinities: [] };
export const noStatedRules: StatedRules = {
  required: noRules,
  preferredAffinities: [],
  preferredAntiAffinities: [],
  softSpreads: [],
};

export function statesRules({ affinity, topologySpreadConstraints }: PodSpec): boolean {
  return (
    (topologySpreadConstraints !== undefined && topologySpreadConstraints.length > 0) ||
    affinity?.podAffinity !== undefined ||
    affinity?.podAntiAffinity !== undefined
  );
}

/** Label keys of pods that the rules read; those of soft rules too. */
export function labelKeysOfRules({ affinity, topologySpreadConstraints = [] }: PodSpec): readonly string[] {
  const { podAffinity, podAntiAffinity } = affinity ?? {};
  const terms = [podAffinity, podAntiAffinity].flatMap((rules) => [
    ...(rules?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(rules?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
  return [
    ...[...terms, ...topologySpreadConstraints].flatMap(({ labelSelector, matchLabelKeys = [] }) => [
      ...Object.keys(labelSelector?.matchLabels ?? {}),
      ...(labelSelector?.matchExpressions ?? []).map(({ key }) => key),
      ...matchLabelKeys,
    ]),
    ...terms.flatMap(({ mismatchLabelKeys = [] }) => mismatchLabelKeys),
  ];
}

export function statedRules(spec: PodSpec, owner: PodIdentity, selectors: PodSelectors): StatedRules {
  if (!statesRules(spec)) return noStatedRules;
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const constraints = spec.topologySpreadConstraints ?? [];
  const spread = (hard: boolean): readonly SpreadRule[] =>
    constraints
      .filter(({ whenUnsatisfiable }) => (whenUnsatisfiable === "DoNotSchedule") === hard)
      .map((constraint) => spreadRule(constraint, selectors.ofSpread(constraint, owner)));
  const near = (term: PodAffinityTerm): NearRule => ({
    topologyKey: normalizedKey(term.topologyKey),
    selector: selectors.ofTerm(term, owner),
  });
  return {
    required: {
      spreads: spread(true),
      affinities: together((podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(near), selectors),
      antiAffinities: (podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(near),
    },
    preferredAffinities: heaviestFirst(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution, near),
    preferredAntiAffinities: heaviestFirst(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution, near),
    softSpreads: spread(false),
  };
}

/** The required anti-affinity of a pod that runs: it keeps others away. */
export function requiredAntiAffinities(
  { affinity }: PodSpec,
  owner: PodIdentity,
  selectors: PodSelectors,
): readonly NearRule[] {
  const terms = affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  return terms.map((term) => ({
    topologyKey: normalizedKey(term.topologyKey),
    selector: selectors.ofTerm(term, owner),
  }));
}

function spreadRule(constraint: TopologySpreadConstraint, selector: PodSelector): SpreadRule {
  const { topologyKey, maxSkew, minDomains = 1, nodeAffinityPolicy, nodeTaintsPolicy } = constraint;
  return {
    topologyKey: normalizedKey(topologyKey),
    selector,
    maxSkew,
    minDomains,
    honorsAffinity: nodeAffinityPolicy !== "Ignore",
    honorsTaints: nodeTaintsPolicy === "Honor",
  };
}

/** One rule a key, each for the pods that all terms select. */
function together(rules: readonly NearRule[], selectors: PodSelectors): readonly NearRule[] {
  if (rules.length <= 1) return rules;
  const selector = selectors.ofAll(rules.map((rule) => rule.selector));
  const keys = [...new Set(rules.map(({ topologyKey }) => topologyKey))].sort();
  return keys.map((topologyKey) => ({ topologyKey, selector }));
}

function heaviestFirst(
  terms: readonly { readonly weight: number; readonly podAffinityTerm: PodAffinityTerm }[] = [],
  near: (term: PodAffinityTerm) => NearRule,
): readonly NearRule[] {
  return terms
    .map(({ weight, podAffinityTerm }) => ({ weight, rule: near(podAffinityTerm) }))
    .sort(
      (a, b) => b.weight - a.weight || rankOf(a.rule) - rankOf(b.rule) || (textOf(a.rule) < textOf(b.rule) ? -1 : 1),
    )
    .map(({ rule }) => rule);
}

export function textOf({ topologyKey, selector }: NearRule): string {
  return `${topologyKey} ${selector.text}`;
}

/** Of wishes of one weight those about hosts are given up last: there are more hosts than zones to meet them. */
function rankOf({ topologyKey }: NearRule): number {
  return topologyKey === hostnameLabel ? 1 : 0;
}
