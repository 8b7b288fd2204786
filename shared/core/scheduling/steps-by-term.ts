/**
 * The steps of relaxation as Karpenter takes them: OR-ed required terms are given up one by one, as they are written, and
 * only the last one's preferences after that. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/preferences.go, removeRequiredNodeAffinityTerm. It differs: this is one way
 * among others to look for a cheap plan; a term that contradicts a preference is left out.
 */
import type { NodeSelectorTerm, PodSpec } from "#api/core-v1/pod.ts";
import { preferredTerms } from "./node-affinity.ts";
import { nodeAsk } from "./node-ask.ts";
import type { PodClass } from "./pod-class.ts";
import { type RelaxationRules, type RelaxationStep, relaxationSteps } from "./relaxation.ts";

/** The class's own steps when it has no terms to choose among. */
export function stepsByTerm({ pods, steps, ladder }: PodClass, rules: RelaxationRules): readonly RelaxationStep[] {
  const spec = pods[0]?.spec;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required?.nodeSelectorTerms ?? [];
  if (spec === undefined || terms.length <= 1) return steps;
  const wishes = rules.preferencePolicy === "Ignore" ? 0 : preferredTerms(spec).length;
  return terms.flatMap((term, i) => {
    const isLast = i === terms.length - 1;
    const ask = nodeAsk(withTerm(spec, term), rules.preferencePolicy);
    if (!isLast && ask.wishes.length < wishes) return [];
    const own = relaxationSteps(ask, ladder, rules.preferNoScheduleTaints);
    return isLast ? own : own.slice(0, 1);
  });
}

function withTerm(spec: PodSpec, term: NodeSelectorTerm): PodSpec {
  const nodeAffinity = {
    ...spec.affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
  };
  return { ...spec, affinity: { ...spec.affinity, nodeAffinity } };
}
