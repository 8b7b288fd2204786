/**
 * Karpenter counterpart: pkg/controllers/nodepool/validation and the RuntimeValidate methods of pkg/apis/v1, whose result is
 * the condition ValidationSucceeded. They catch what a CRD cannot: lengths, duplicate taints, domains that a provider
 * restricts, unknown capacity types. It differs: all problems are listed, not the first; quantities that no number can
 * hold are named too, since Karpenter's client refuses such an object before it gets here.
 */
import type { Taint } from "../core-v1/pod.ts";
import { labelKeyProblem, labelValueProblem } from "../qualified-name.ts";
import { parseQuantity } from "../quantity.ts";
import { isInDomain } from "./label-rules.ts";
import {
  capacityTypeLabel,
  capacityTypes,
  coreWellKnownLabels,
  group,
  hostnameLabel,
  nodePoolLabel,
  normalizedLabels,
} from "./labels.ts";
import type { NodePool } from "./nodepool.ts";
import { type RequirementSpec, requirementOperators } from "./requirement.ts";
import { requirementProblem } from "./requirement-validation.ts";
import { taintEffects } from "./template-validation.ts";

/** What a cloud provider adds to the rules. */
export interface LabelRules {
  /** Labels that may be used although they lie in a restricted domain. */
  readonly wellKnownLabels: readonly string[];
  /** Domains, with their subdomains, in which users have no labels of their own: `karpenter.k8s.aws`. */
  readonly restrictedDomains: readonly string[];
}

const coreOnly: LabelRules = { wellKnownLabels: [], restrictedDomains: [] };

/** What is wrong with a NodePool that passed the door, in sentences; empty when it may be used. */
export function runtimeProblems(nodePool: NodePool, provider: LabelRules = coreOnly): readonly string[] {
  const { template, limits = {} } = nodePool.spec;
  const { taints = [], startupTaints = [], requirements } = template.spec;
  return [
    ...Object.entries(template.metadata?.labels ?? {}).flatMap(([key, value]) =>
      templateLabelProblems(key, value, provider),
    ),
    ...taintProblems(taints, "taints", startupTaints),
    ...requirements.flatMap((requirement, index) =>
      nodePoolRequirementProblems(requirement, provider).map((problem) => `requirements[${index}]: ${problem}`),
    ),
    ...Object.entries(limits)
      .filter(([, text]) => parseQuantity(text) === undefined)
      .map(([name, text]) => `limits[${name}]: must be a quantity; got ${JSON.stringify(text)}`),
  ];
}

/**
 * What is wrong with one requirement, of a NodePool, a pod or an overlay alike: operator, label, syntax, values, known
 * capacity types. Empty when it may be used.
 */
export function requirementProblems(requirement: RequirementSpec, provider: LabelRules = coreOnly): readonly string[] {
  const { operator, values = [] } = requirement;
  const key = normalizedLabels[requirement.key] ?? requirement.key;
  if (!requirementOperators.includes(operator)) return [`operator must be one of ${requirementOperators.join(", ")}`];
  return [
    ...present(restriction(key, provider)),
    ...present(prefixed("key", labelKeyProblem(key))),
    ...values.flatMap((value) => present(prefixed(`value ${JSON.stringify(value)}`, labelValueProblem(value)))),
    ...present(requirementProblem(requirement)),
    ...present(key === capacityTypeLabel ? capacityTypeProblem(requirement) : undefined),
  ];
}

function nodePoolRequirementProblems(requirement: RequirementSpec, provider: LabelRules): readonly string[] {
  const owned = requirement.key === nodePoolLabel ? [`label ${nodePoolLabel} is set by the NodePool itself`] : [];
  return [...owned, ...requirementProblems(requirement, provider)];
}

function templateLabelProblems(key: string, value: string, provider: LabelRules): readonly string[] {
  const problems = [
    ...(key === nodePoolLabel ? ["is set by the NodePool itself"] : []),
    ...present(labelKeyProblem(key)),
    ...present(prefixed("value", labelValueProblem(value))),
    ...present(restriction(key, provider)),
  ];
  return problems.map((problem) => `labels[${key}]: ${problem}`);
}

/** Why a label may not be used by users, or undefined. */
function restriction(key: string, provider: LabelRules): string | undefined {
  if (coreWellKnownLabels.includes(key) || provider.wellKnownLabels.includes(key)) return undefined;
  if (key === hostnameLabel) return `label ${key} is restricted: each node gets its own`;
  const domain = [group, ...provider.restrictedDomains].find((restricted) => isInDomain(key, restricted));
  return domain === undefined ? undefined : `label ${key} is restricted: ${domain} has no such label for users`;
}

/** A mix of known and unknown types passes, as in Karpenter; the unknown ones never match. */
function capacityTypeProblem({ operator, values = [], minValues }: RequirementSpec): string | undefined {
  if (operator !== "In" || values.length === 0) return undefined;
  const known = values.filter((value) => capacityTypes.some((type) => type === value)).length;
  if (known === 0) return `must have one of ${capacityTypes.join(", ")}; got ${values.join(", ").slice(0, 60)}`;
  return minValues !== undefined && known < minValues
    ? `minValues ${minValues} needs as many known capacity types; has ${known}`
    : undefined;
}

/** Key and effect are one taint, whichever of the two lists it stands in. */
function taintProblems(taints: readonly Taint[], name: string, startupTaints: readonly Taint[]): readonly string[] {
  const all = [
    ...taints.map((taint, index) => ({ taint, at: `${name}[${index}]` })),
    ...startupTaints.map((taint, index) => ({ taint, at: `startupTaints[${index}]` })),
  ];
  const first = new Map<string, string>();
  return all.flatMap(({ taint, at }) => {
    const id = `${taint.key}:${taint.effect}`;
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, at);
    const problems = [
      ...present(labelKeyProblem(taint.key)),
      ...(taint.value === undefined || taint.value === ""
        ? []
        : present(prefixed("value", labelKeyProblem(taint.value)))),
      ...(taintEffects.includes(taint.effect) ? [] : [`effect must be one of ${taintEffects.join(", ")}`]),
      ...(earlier === undefined ? [] : [`repeats ${id} of ${earlier}`]),
    ];
    return problems.map((problem) => `${at}: ${problem}`);
  });
}

function prefixed(what: string, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : `${what}: ${problem}`;
}

function present(problem: string | undefined): readonly string[] {
  return problem === undefined ? [] : [problem];
}
