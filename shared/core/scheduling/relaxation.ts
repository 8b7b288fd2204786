/**
 * Karpenter counterpart: pkg/controllers/provisioning/scheduling/preferences.go. Preferences are rules until nothing can
 * be found under them; then one is given up at a time, in Karpenter's order: preferred pod affinity, preferred pod
 * anti-affinity, preferred node affinity (the heaviest first), ScheduleAnyway spread, and last PreferNoSchedule taints
 * are tolerated. It differs: the steps are listed once for all pods of a class; a preference that contradicts the pod's
 * own requirements is unsatisfiable (Karpenter reads it as "the label must be absent"); required terms are no steps but
 * alternatives (see node-affinity.ts). Preferred pod affinity and soft spread are given up at once as yet.
 */
import type { PodSpec, Toleration } from "#api/core-v1/pod.ts";
import { preferredTerms, requiredAlternatives } from "./node-affinity.ts";
import { impossibleKey, intersectRequirements, type Requirements } from "./requirements.ts";
import { toleratePreferNoSchedule } from "./taints.ts";

/** One step: what a pod still asks for. Alternatives are OR-ed; an empty list means that no node can do. */
export interface RelaxationStep {
  readonly alternatives: readonly Requirements[];
  readonly tolerations: readonly Toleration[];
}

export interface RelaxationRules {
  /** Ignore: preferences are not looked at. */
  readonly preferencePolicy: "Respect" | "Ignore";
  /** Some NodePool of the problem has such a taint, so tolerating it can help. */
  readonly preferNoScheduleTaints: boolean;
}

/** At least one step; the strictest first. */
export function relaxationSteps(spec: PodSpec, rules: RelaxationRules): readonly RelaxationStep[] {
  const required = requiredAlternatives(spec).filter(isPossible);
  const tolerations = spec.tolerations ?? [];
  const preferences = rules.preferencePolicy === "Ignore" ? [] : preferredTerms(spec);
  const steps: RelaxationStep[] = [];
  for (const preferred of preferences) {
    const alternatives = required.map((one) => intersectRequirements(one, preferred)).filter(isPossible);
    if (alternatives.length > 0) steps.push({ alternatives, tolerations });
  }
  steps.push({ alternatives: required, tolerations });
  if (rules.preferNoScheduleTaints) {
    steps.push({ alternatives: required, tolerations: [...tolerations, toleratePreferNoSchedule] });
  }
  return steps;
}

function isPossible(requirements: Requirements): boolean {
  return impossibleKey(requirements) === undefined;
}
