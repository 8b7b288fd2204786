/** Kubernetes' rules of who selects, tolerates and matches whom, each as its documentation states it. */
import type { LabelSelector } from "#api/core-v1/meta.ts";
import type { NodeSelectorTerm, PodSpec, Taint, Toleration } from "#api/core-v1/pod.ts";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";

export type Labels = Readonly<Record<string, string>>;

/** Does a label's value (undefined: no such label) meet one expression? */
export function meets(value: string | undefined, { operator, values = [] }: RequirementSpec): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return compares(value, operator, values[0]);
  }
}

function compares(value: string | undefined, operator: string, bound: string | undefined): boolean {
  const integer = /^[+-]?[0-9]+$/;
  if (value === undefined || bound === undefined || !integer.test(value) || !integer.test(bound)) return false;
  const difference = BigInt(value.replace("+", "")) - BigInt(bound.replace("+", ""));
  if (operator === "Gt") return difference > 0n;
  if (operator === "Lt") return difference < 0n;
  return operator === "Gte" ? difference >= 0n : difference <= 0n;
}

export function termMatches(term: NodeSelectorTerm, labels: Labels): boolean {
  const expressions = term.matchExpressions ?? [];
  const fields = term.matchFields ?? [];
  if (expressions.length + fields.length === 0) return false;
  const name = labels["kubernetes.io/hostname"];
  return (
    expressions.every((expression) => meets(labels[expression.key], expression)) &&
    fields.every((field) => field.key === "metadata.name" && meets(name, field))
  );
}

/** nodeSelector and required node affinity. */
export function selectsNode(spec: PodSpec, labels: Labels): boolean {
  if (!Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value)) return false;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || required.nodeSelectorTerms.some((term) => termMatches(term, labels));
}

/** Label keys that a pod's nodeSelector and required node affinity speak of. */
export function selectedKeys(spec: PodSpec): readonly string[] {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const expressions = terms.flatMap((term) => term.matchExpressions ?? []);
  return [...Object.keys(spec.nodeSelector ?? {}), ...expressions.map(({ key }) => key)];
}

/** The first taint that keeps the pod away. */
export function repellingTaint(
  tolerations: readonly Toleration[] | undefined,
  taints: readonly Taint[],
): Taint | undefined {
  return taints.find(
    (taint) => taint.effect !== "PreferNoSchedule" && !(tolerations ?? []).some((one) => tolerates(one, taint)),
  );
}

function tolerates({ key, operator, value, effect }: Toleration, taint: Taint): boolean {
  if (effect !== undefined && effect !== taint.effect) return false;
  if (key !== undefined && key !== taint.key) return false;
  switch (operator) {
    case "Exists":
      return true;
    case "Lt":
    case "Gt":
      return compares(taint.value, operator, value);
    default:
      return key !== undefined && (value ?? "") === (taint.value ?? "");
  }
}

/** A missing selector selects nothing, an empty one everything. */
export function selectorMatches(selector: LabelSelector | undefined, labels: Labels | undefined): boolean {
  if (selector === undefined) return false;
  const own = labels ?? {};
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => own[key] === value) &&
    (selector.matchExpressions ?? []).every((expression) => meets(own[expression.key], expression))
  );
}

/** Labels as the API server merges `matchLabelKeys` and `mismatchLabelKeys` into a selector when the pod is created. */
export function mergedSelector(
  selector: LabelSelector | undefined,
  labels: Labels | undefined,
  match: readonly string[] | undefined,
  mismatch: readonly string[] | undefined,
): LabelSelector | undefined {
  if (selector === undefined) return undefined;
  const added = (keys: readonly string[] | undefined, operator: "In" | "NotIn") =>
    (keys ?? []).flatMap((key) => {
      const value = labels?.[key];
      return value === undefined ? [] : [{ key, operator, values: [value] }];
    });
  const expressions = [...(selector.matchExpressions ?? []), ...added(match, "In"), ...added(mismatch, "NotIn")];
  return { ...selector, matchExpressions: expressions };
}
