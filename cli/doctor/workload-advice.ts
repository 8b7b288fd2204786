import type { PodDisruptionBudget } from "#api/core-v1/cluster-objects.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import { compileSelector } from "#api/label-selector.ts";
import { objectName } from "#core/object-ref.ts";
import { isMirror, isTerminal } from "#core/pod/pod-predicates.ts";
import { controllerOf } from "../simulate/owners.ts";
import type { Advice } from "./advice.ts";

/** `Deployment default/web`, or the pod itself where nobody owns it. */
export function workloadOf(pod: Pod): string {
  const { metadata } = pod;
  const owner = controllerOf(pod);
  if (owner === undefined) return `Pod ${objectName(metadata)}`;
  const deployment = owner.kind === "ReplicaSet" ? deploymentOf(owner.name, metadata.labels) : undefined;
  const [kind, name] = deployment === undefined ? [owner.kind, owner.name] : ["Deployment", deployment];
  return `${kind} ${objectName({ ...metadata, name })}`;
}

/** Kubernetes: a Deployment names its ReplicaSets by its own name and the hash that it writes on their pods. */
function deploymentOf(replicaSet: string, labels: Readonly<Record<string, string>> | undefined): string | undefined {
  const hash = labels?.["pod-template-hash"];
  const end = `-${hash}`;
  return hash !== undefined && replicaSet.endsWith(end) ? replicaSet.slice(0, -end.length) : undefined;
}

/** `short`: of workloads that do not have all their pods yet, each beginning as `workloadOf` writes it. */
export function workloadAdvice(
  pods: readonly Pod[],
  budgets: readonly PodDisruptionBudget[],
  short: readonly string[],
): readonly Advice[] {
  const living = pods.filter((pod) => !isTerminal(pod) && !isMirror(pod));
  const isShort = (pod: Pod): boolean => short.some((text) => text.startsWith(`${workloadOf(pod)} `));
  return [...requestAdvice(living), ...budgets.flatMap((budget) => budgetAdvice(budget, living, isShort))];
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

function budgetAdvice(
  { metadata, spec }: PodDisruptionBudget,
  pods: readonly Pod[],
  isShort: (pod: Pod) => boolean,
): readonly Advice[] {
  const isSelected = compileSelector(spec.selector);
  const own = pods.filter(
    (pod) => pod.metadata.namespace === metadata.namespace && isSelected(pod.metadata.labels ?? {}),
  );
  const count = own.length;
  const field = count === 0 ? undefined : neverAllowing(spec, own.some(isShort) ? moreToCome : count);
  if (field === undefined) return [];
  const never =
    count === 1
      ? "never lets its pod go, and the node stays"
      : `never lets one of its ${count} pods go, and their nodes stay`;
  return [
    {
      object: `PodDisruptionBudget/${objectName(metadata)}`,
      field: `spec.${field}`,
      found: `${spec[field]} ${never}`,
      fix: "allow one at a time (maxUnavailable: 1), and run more than one replica",
    },
  ];
}

/** Stands for the pods of a workload that is still making them: nobody knows how many. More than a cluster holds. */
const moreToCome = 1_000_000;

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
