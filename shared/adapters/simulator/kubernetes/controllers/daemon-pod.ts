import type { Node } from "#api/core-v1/node.ts";
import type { Affinity, Pod, Toleration } from "#api/core-v1/pod.ts";
import type { DaemonSet } from "#api/core-v1/workload.ts";

/** What the DaemonSet controller lets every daemon tolerate: a node's own troubles do not drive its daemons away. */
const addedTolerations: readonly Toleration[] = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/disk-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/pid-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
];
const hostNetworkToleration: Toleration = {
  key: "node.kubernetes.io/network-unavailable",
  operator: "Exists",
  effect: "NoSchedule",
};

/** The template's specification pinned to one node by name, with the controller's tolerations. */
export function daemonSpec(daemonSet: DaemonSet, node: Node): Pod["spec"] {
  const { spec } = daemonSet.spec.template;
  const pin = { matchFields: [{ key: "metadata.name", operator: "In" as const, values: [node.metadata.name] }] };
  const affinity: Affinity = {
    ...spec.affinity,
    nodeAffinity: {
      ...spec.affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [pin] },
    },
  };
  return { ...unpinnedSpec(daemonSet), affinity };
}

export function unpinnedSpec(daemonSet: DaemonSet): Pod["spec"] {
  const { spec } = daemonSet.spec.template;
  const added = spec.hostNetwork === true ? [...addedTolerations, hostNetworkToleration] : addedTolerations;
  return { ...spec, tolerations: [...(spec.tolerations ?? []), ...added] };
}

/** The node that a daemon's pod is bound or pinned to. */
export function nodeOf(pod: Pod): string | undefined {
  const terms =
    pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const pinned = terms.flatMap(({ matchFields = [] }) => matchFields).find(({ key }) => key === "metadata.name");
  return pod.spec.nodeName ?? pinned?.values?.[0];
}
