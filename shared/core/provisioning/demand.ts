/**
 * The pods that need a place. Karpenter counterpart: pkg/controllers/provisioning/provisioner.go, GetPendingPods, and
 * pkg/controllers/state/statenode.go, CurrentlyReschedulablePods. No difference: pending pods that kube-scheduler could
 * not place, and the pods of nodes that are going away, as far as they can leave.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import type { LabelRules } from "#api/karpenter-v1/runtime-validation.ts";
import { objectName } from "../object-ref.ts";
import type { StateNode } from "../scheduling/cluster-capacity.ts";
import { disruptionBudgets, isCurrentlyReschedulable } from "../scheduling/pod-disruption.ts";
import { isActive, isProvisionable } from "../scheduling/pod-predicates.ts";
import type { ClusterView } from "../snapshot.ts";
import { validatePod } from "./pod-validation.ts";

export interface Demand {
  readonly pods: readonly Pod[];
  /** Of `pods`, those that run on a node that is going away: its claim's name, by the pod's name. */
  readonly leaving: ReadonlyMap<string, string | undefined>;
  /** Pending pods that are refused before any node is looked at, and why. */
  readonly refused: readonly { readonly pod: Pod; readonly message: string }[];
}

export function demandOf(cluster: ClusterView, states: readonly StateNode[], rules: LabelRules, nowMs: number): Demand {
  const verdicts = cluster.pods.filter(isWaiting).map((pod) => ({ pod, verdict: validatePod(pod, rules) }));
  const pending = verdicts.flatMap(({ pod, verdict }) => (verdict.kind === "valid" ? [pod] : []));
  const refused = verdicts.flatMap(({ pod, verdict }) =>
    verdict.kind === "invalid" ? [{ pod, message: verdict.message }] : [],
  );
  const budgets = disruptionBudgets(cluster.podDisruptionBudgets);
  const leaving = states
    .filter(({ deleting }) => deleting)
    .flatMap(({ pods, claim }) =>
      pods.filter((pod) => isCurrentlyReschedulable(pod, budgets, nowMs)).map((pod) => ({ pod, claim })),
    );
  return {
    pods: [...pending, ...leaving.map(({ pod }) => pod)],
    leaving: new Map(leaving.map(({ pod, claim }) => [objectName(pod.metadata), claim?.metadata.name])),
    refused,
  };
}

function isWaiting(pod: Pod): boolean {
  return isProvisionable(pod) && isActive(pod);
}
