/**
 * Karpenter counterpart: pkg/controllers/provisioning/provisioner.go, Validate. No difference in what is refused for
 * its requirements; volumes are looked at in scheduling/volumes/pod-volumes.ts.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import { nodePoolLabel } from "#api/karpenter-v1/labels.ts";
import { type LabelRules, requirementProblems } from "#api/karpenter-v1/runtime-validation.ts";
import { requirementOf } from "../scheduling/requirements/requirement.ts";

export type PodVerdict =
  | { readonly kind: "valid" }
  /** It asks for nodes that no NodePool makes: not our pod, and nothing to complain of. */
  | { readonly kind: "not-ours" }
  | { readonly kind: "invalid"; readonly message: string };

const valid: PodVerdict = { kind: "valid" };

export function validatePod({ spec }: Pod, rules: LabelRules): PodVerdict {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  if (terms.length === 0 && spec.nodeSelector === undefined) return valid;
  const expressions = terms.flatMap((term) => term.matchExpressions ?? []);
  if (expressions.some((one) => requirementOf(one).key === nodePoolLabel && one.operator === "DoesNotExist")) {
    return { kind: "not-ours" };
  }
  const problems = [
    ...Object.entries(spec.nodeSelector ?? {}).flatMap(([key, value]) =>
      requirementProblems({ key, operator: "In", values: [value] }, rules),
    ),
    ...expressions.flatMap((expression) => nodeAffinityProblems(expression, rules)),
  ];
  if (terms.some((term) => (term.matchFields ?? []).length > 0)) {
    problems.push("node affinity with matchFields names nodes that exist; no node can be made for it");
  }
  const [first] = problems;
  return first === undefined ? valid : { kind: "invalid", message: first };
}

/** Kubernetes lets a pod compare with any integer; a NodePool only with those from 0. */
function nodeAffinityProblems(
  expression: Parameters<typeof requirementProblems>[0],
  rules: LabelRules,
): readonly string[] {
  const isBound = expression.operator === "Gt" || expression.operator === "Lt";
  const negative = isBound && /^-\d+$/.test(expression.values?.[0] ?? "") && expression.values?.length === 1;
  return negative
    ? requirementProblems({ ...expression, values: ["0"] }, rules)
    : requirementProblems(expression, rules);
}
