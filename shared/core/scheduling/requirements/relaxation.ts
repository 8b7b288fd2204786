/**
 * Karpenter counterpart: pkg/controllers/provisioning/scheduling/preferences.go. Preferences are rules until nothing can
 * be found under them; then one is given up at a time, in Karpenter's order: preferred pod affinity, preferred pod
 * anti-affinity, preferred node affinity (the heaviest first), ScheduleAnyway spread, and last PreferNoSchedule taints
 * are tolerated. It differs: the steps are listed once for all pods of a class; a preference that contradicts the pod's
 * own requirements is unsatisfiable (Karpenter reads it as "the label must be absent"); required terms are no steps but
 * alternatives (see node-affinity.ts).
 */
import type { Toleration } from "#api/core-v1/pod.ts";
import type { PodRules } from "../topology/pod-rules.ts";
import type { RuleLadder } from "../topology/rule-ladder.ts";
import type { NodeAsk } from "./node-ask.ts";
import type { Requirements } from "./requirements.ts";
import { toleratePreferNoSchedule } from "./taints.ts";

/** One step: what a pod still asks for. Alternatives are OR-ed; an empty list means that no node can do. */
export interface RelaxationStep {
  readonly alternatives: readonly Requirements[];
  readonly tolerations: readonly Toleration[];
  /** Between pods. Wishes that still count are among the required ones. */
  readonly rules: PodRules;
}

export interface RelaxationRules {
  /** Ignore: preferences are not looked at. */
  readonly preferencePolicy: "Respect" | "Ignore";
  /** Some NodePool of the problem has such a taint, so tolerating it can help. */
  readonly preferNoScheduleTaints: boolean;
}

/** At least one step; the strictest first. */
export function relaxationSteps(
  { required, wishes, tolerations }: NodeAsk,
  ladder: RuleLadder,
  preferNoScheduleTaints: boolean,
): readonly RelaxationStep[] {
  const [first = required, ...others] = [...wishes, required];
  const withoutPods = ladder.ofPods.at(-1) ?? ladder.required;
  const steps: RelaxationStep[] = [
    ...ladder.ofPods.map((rules) => ({ alternatives: first, tolerations, rules })),
    ...others.map((alternatives) => ({ alternatives, tolerations, rules: withoutPods })),
    ...ladder.ofSpreads.map((rules) => ({ alternatives: required, tolerations, rules })),
  ];
  if (preferNoScheduleTaints) {
    const soft = [...tolerations, toleratePreferNoSchedule];
    steps.push({ alternatives: required, tolerations: soft, rules: ladder.required });
  }
  return steps;
}
