import type { PodDisruptionBudget } from "#api/core-v1/cluster-objects.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import { compileSelector } from "#api/label-selector.ts";
import { objectName } from "#core/object-ref.ts";
import { isMirror, isTerminal } from "#core/pod/pod-predicates.ts";
import { controllerOf } from "../simulate/owners.ts";
import type { Advice } from "./advice.ts";

/** `default/ReplicaSet/web-6d4b75cb6d`, or the pod itself where nobody owns it. */
export function workloadOf(pod: Pod): string {
  const { metadata } = pod;
  const owner = controllerOf(pod);
  return owner === undefined
    ? `Pod ${objectName(metadata)}`
    : `${owner.kind} ${objectName({ ...metadata, name: owner.name })}`;
}

export function workloadAdvice(pods: readonly Pod[], budgets: readonly PodDisruptionBudget[]): readonly Advice[] {
  const living = pods.filter((pod) => !isTerminal(pod) && !isMirror(pod));
  return [...requestAdvice(living), ...budgets.flatMap((budget) => budgetAdvice(budget, living))];
}

/** Once for each workload: its pods have the same template. */
function requestAdvice(pods: readonly Pod[]): readonly Advice[] {
  const byWorkload = new Map(pods.map((pod) => [workloadOf(pod), pod]));
  return [...byWorkload].flatMap(([workload, { spec }]) => {
    const atPod = spec.resources?.requests ?? {};
    return ["cpu", "memory"].flatMap((resource) => {
      const bare = spec.containers.filter(({ resources }) => resources?.requests?.[resource] === undefined);
      const [first] = bare;
      if (first === undefined || atPod[resource] !== undefined) return [];
      return [
        {
          object: workload.replace(" ", "/"),
          field: `spec.containers[${spec.containers.indexOf(first)}].resources.requests.${resource}`,
          found: `container ${first.name} asks for none, so that nodes are chosen as if it used none`,
          fix: "state what it uses",
        },
      ];
    });
  });
}

function budgetAdvice({ metadata, spec }: PodDisruptionBudget, pods: readonly Pod[]): readonly Advice[] {
  const isSelected = compileSelector(spec.selector);
  const count = pods.filter(
    (pod) => pod.metadata.namespace === metadata.namespace && isSelected(pod.metadata.labels ?? {}),
  ).length;
  const field = neverAllowing(spec, count);
  if (field === undefined || count === 0) return [];
  return [
    {
      object: `PodDisruptionBudget/${objectName(metadata)}`,
      field: `spec.${field}`,
      found: `${spec[field]} never lets one of its ${count} ${count === 1 ? "pod" : "pods"} go, and their nodes stay`,
      fix: "allow one at a time (maxUnavailable: 1), and run more than one replica",
    },
  ];
}

/** The field by which no pod may ever be evicted; undefined when one may, all being healthy. */
function neverAllowing(
  { minAvailable, maxUnavailable }: PodDisruptionBudget["spec"],
  count: number,
): "minAvailable" | "maxUnavailable" | undefined {
  if (maxUnavailable !== undefined) return scaled(maxUnavailable, count) === 0 ? "maxUnavailable" : undefined;
  return minAvailable !== undefined && scaled(minAvailable, count) >= count ? "minAvailable" : undefined;
}

/** Kubernetes: percentages of a budget are rounded up. */
function scaled(value: number | string, count: number): number {
  if (typeof value === "number") return value;
  return value.endsWith("%") ? Math.ceil((Number.parseFloat(value) * count) / 100) : Number(value);
}
