/** Which DaemonSets put a pod on a node, and what those pods take. */
import type { Pod, PodSpec, Taint, Toleration } from "#api/core-v1/pod.ts";
import type { DaemonSet } from "#api/core-v1/workload.ts";
import { type Amounts, podSpecRequests, total } from "./amounts.ts";
import { type Labels, repellingTaint, selectsNode } from "./matching.ts";

/** Kubernetes: the DaemonSet controller adds these to every pod of a DaemonSet. */
const added: readonly Toleration[] = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/disk-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/pid-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
];

/** A node of a NodePool has these once it is up. */
export const lifecycleLabels: Labels = { "karpenter.sh/registered": "true", "karpenter.sh/initialized": "true" };

/** Those whose pod a node with such labels and taints gets. */
export function daemonsOn(
  daemonSets: readonly DaemonSet[],
  labels: Labels,
  taints: readonly Taint[],
): readonly DaemonSet[] {
  return daemonSets.filter(({ spec }) => {
    const pod = spec.template.spec;
    return selectsNode(pod, labels) && repellingTaint([...(pod.tolerations ?? []), ...added], taints) === undefined;
  });
}

export function daemonAmounts(daemons: readonly DaemonSet[]): Amounts {
  return total(daemons.map(({ spec }) => podSpecRequests(spec.template.spec)));
}

export function daemonSpecs(daemons: readonly DaemonSet[]): readonly PodSpec[] {
  return daemons.map(({ spec }) => spec.template.spec);
}

export function isDaemonPod(pod: Pod): boolean {
  return (pod.metadata.ownerReferences ?? []).some(({ kind }) => kind === "DaemonSet");
}
