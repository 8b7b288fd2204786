/**
 * An oracle: node selectors, written from Kubernetes' rules and apart from
 * shared/core/scheduling/requirements/node-affinity.ts on purpose: here is what happens to a plan, so that a mistake of either shows.
 */
import type { Node } from "#api/core-v1/node.ts";
import type { NodeSelectorRequirement, NodeSelectorTerm, Pod } from "#api/core-v1/pod.ts";

/** The pod's nodeSelector and its required node affinity. */
export function nodeAffinityMatches(pod: Pod, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  for (const [key, value] of Object.entries(pod.spec.nodeSelector ?? {})) if (labels[key] !== value) return false;
  const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || anyTermMatches(required.nodeSelectorTerms, node);
}

/** Terms are ORed. A term without expressions matches nothing. */
export function anyTermMatches(terms: readonly NodeSelectorTerm[], node: Node): boolean {
  return terms.some((term) => termMatches(term, node));
}

export function termMatches(term: NodeSelectorTerm, node: Node): boolean {
  const expressions = term.matchExpressions ?? [];
  const fields = term.matchFields ?? [];
  if (expressions.length === 0 && fields.length === 0) return false;
  const labels = node.metadata.labels ?? {};
  return (
    expressions.every((requirement) => holds(requirement, labels[requirement.key])) &&
    // Kubernetes selects nodes by one field only.
    fields.every((requirement) => requirement.key === "metadata.name" && holds(requirement, node.metadata.name))
  );
}

function holds({ operator, values = [] }: NodeSelectorRequirement, actual: string | undefined): boolean {
  switch (operator) {
    case "In":
      return actual !== undefined && values.includes(actual);
    case "NotIn":
      return actual === undefined || !values.includes(actual);
    case "Exists":
      return actual !== undefined;
    case "DoesNotExist":
      return actual === undefined;
    case "Gt":
    case "Lt":
      return comparesTo(operator, actual, values[0]);
  }
}

function comparesTo(operator: "Gt" | "Lt", actual: string | undefined, bound: string | undefined): boolean {
  const whole = /^[+-]?\d+$/;
  if (actual === undefined || bound === undefined || !whole.test(actual) || !whole.test(bound)) return false;
  return operator === "Gt" ? Number(actual) > Number(bound) : Number(actual) < Number(bound);
}
