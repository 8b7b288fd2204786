/**
 * Karpenter counterpart: pkg/scheduling/requirements.go, NewPodRequirements and NewStrictPodRequirements. It differs:
 * OR-ed required terms are alternatives, all of them open at each step of relaxation and in an order of their own, so
 * that the answer does not depend on how the user ordered them; Karpenter tries them one by one and forgets each.
 */
import type { NodeSelectorTerm, PodSpec } from "#api/core-v1/pod.ts";
import {
  intersectRequirements,
  keyOfRequirements,
  labelRequirements,
  noRequirements,
  type Requirements,
  requirementsOf,
} from "./requirements.ts";

/** What nodeSelector and each required term ask for together; one item when there are no terms. Sorted, distinct. */
export function requiredAlternatives(spec: PodSpec): readonly Requirements[] {
  const selector = labelRequirements(spec.nodeSelector);
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (terms === undefined) return [selector];
  const alternatives = terms
    .filter(selectsSomething)
    .map((term) => intersectRequirements(selector, termRequirements(term)));
  const byText = new Map(alternatives.map((requirements) => [keyOfRequirements(requirements), requirements]));
  return [...byText.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, requirements]) => requirements);
}

/** Preferred terms, the heaviest first, equal weights in an order of their own. An empty term asks for nothing and is left out. */
export function preferredTerms(spec: PodSpec): readonly Requirements[] {
  return (spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
    .filter(({ preference }) => selectsSomething(preference))
    .map(({ weight, preference }) => {
      const requirements = termRequirements(preference);
      return { weight, requirements, text: keyOfRequirements(requirements) };
    })
    .sort((a, b) => b.weight - a.weight || (a.text < b.text ? -1 : 1))
    .map(({ requirements }) => requirements);
}

/** Kubernetes: an empty term selects no node. Terms on fields of the node cannot be met by a node to be made. */
function selectsSomething(term: NodeSelectorTerm): boolean {
  return (term.matchExpressions ?? []).length > 0 && (term.matchFields ?? []).length === 0;
}

function termRequirements(term: NodeSelectorTerm): Requirements {
  return term.matchExpressions === undefined ? noRequirements : requirementsOf(term.matchExpressions);
}
