import type { ClusterCache } from "./cluster-cache.ts";
import { requiredAffinity } from "./inter-pod-affinity.ts";
import { nodeAffinityMatches } from "./node-affinity.ts";
import type { NodeInfo } from "./node-info.ts";
import type { PodInfo } from "./pod-info.ts";
import { untolerated } from "./taints.ts";
import { hardSpread } from "./topology-spread.ts";
import type { VolumeAnswer } from "./volume-filter.ts";

/** Why a node will not do: one reason, or several when resources are short. Empty: it will. */
export type NodeFilter = (info: NodeInfo) => readonly string[];

const fits: readonly string[] = [];
const unschedulableTaint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" } as const;

/** kube-scheduler's filters in its order; the first that refuses a node gives the reasons. */
export function filterFor(
  info: PodInfo,
  volumes: Extract<VolumeAnswer, { kind: "filter" }>,
  cache: ClusterCache,
): NodeFilter {
  const spread = hardSpread(info, cache);
  const affinity = requiredAffinity(info, cache);
  return (candidate) => {
    const own = ownReasons(info, candidate);
    if (own.length > 0) return own;
    const reason = volumes.filter(candidate) ?? spread(candidate) ?? affinity(candidate);
    return reason === undefined ? fits : [reason];
  };
}

function ownReasons(info: PodInfo, candidate: NodeInfo): readonly string[] {
  const { node } = candidate;
  const { pod } = info;
  if (node === undefined) return ["node(s) were not found"];
  if (node.spec.unschedulable === true && untolerated(pod, [unschedulableTaint]) !== undefined) {
    return ["node(s) were unschedulable"];
  }
  const taint = untolerated(pod, node.spec.taints ?? []);
  if (taint !== undefined) return [`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ""}}`];
  if (!nodeAffinityMatches(pod, node)) return ["node(s) didn't match Pod's node affinity/selector"];
  if (info.hostPorts.some((port) => candidate.portTaken(port))) {
    return ["node(s) didn't have free ports for the requested pod ports"];
  }
  return candidate.lacking(info).map((name) => (name === "pods" ? "Too many pods" : `Insufficient ${name}`));
}

/** "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had …." as kube-scheduler words it. */
export function unavailableMessage(nodeCount: number, reasons: readonly (readonly string[])[]): string {
  if (nodeCount === 0) return "no nodes available to schedule pods";
  const counts = new Map<string, number>();
  for (const reason of reasons.flat()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const said = [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${nodeCount} nodes are available: ${said.join(", ")}.`;
}

/** The one node that a DaemonSet's pod is pinned to by name. */
export function pinnedNode({ pod }: PodInfo): string | undefined {
  const terms =
    pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const [term, second] = terms;
  const field = term?.matchFields?.find(({ key, operator }) => key === "metadata.name" && operator === "In");
  return second === undefined && field?.values?.length === 1 ? field.values[0] : undefined;
}

/** Pods alike in all that decides whether a node will do share what was found of one of them. */
export function classKey({ pod }: PodInfo): string {
  const { metadata, spec } = pod;
  return JSON.stringify([metadata.namespace, metadata.labels, spec]);
}
