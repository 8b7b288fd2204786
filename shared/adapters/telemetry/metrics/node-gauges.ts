import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import { capacityTypeLabel, instanceTypeLabel, nodePoolLabel, zoneLabel } from "#api/karpenter-v1/labels.ts";
import { parseTime } from "#api/time.ts";
import type { Resources } from "#core/instance-type.ts";
import { isOwnedByDaemonSet, isTerminal } from "#core/pod/pod-predicates.ts";
import { excess, podRequests, resourcesOf, sum } from "#core/scheduling/resources/resources.ts";
import { podsByNode } from "#core/state/node-index.ts";
import type { TickReport } from "#ports/telemetry.ts";
import { resourceSamples } from "./resource-samples.ts";
import type { Sample } from "./sample.ts";

const archLabel = "kubernetes.io/arch";
const osLabel = "kubernetes.io/os";

/** What each node has, gives and keeps, and the whole cluster's use. */
export function nodeGauges({ snapshot: { cluster, nowMs } }: TickReport): readonly Sample[] {
  const podsOn = podsByNode(cluster.pods);
  let [requested, allocatable]: [Resources, Resources] = [{}, {}];
  const samples = cluster.nodes.flatMap((node): readonly Sample[] => {
    const pods = (podsOn.get(node.metadata.name) ?? []).filter((pod) => !isTerminal(pod));
    const labels = labelsOf(node);
    const own = resourcesOf(node.status?.allocatable, "down");
    const [ofDaemons, ofOthers] = [pods.filter(isOwnedByDaemonSet), pods.filter((pod) => !isOwnedByDaemonSet(pod))];
    const [daemons, others] = [requestsOf(ofDaemons), requestsOf(ofOthers)];
    requested = sum(requested, sum(daemons, others));
    allocatable = sum(allocatable, own);
    const createdMs = parseTime(node.metadata.creationTimestamp) ?? nowMs;
    return [
      ...resourceSamples("karpenter_nodes_allocatable", labels, own),
      ...resourceSamples("karpenter_nodes_total_daemon_requests", labels, daemons),
      ...resourceSamples("karpenter_nodes_total_pod_requests", labels, others),
      ...resourceSamples("karpenter_nodes_total_daemon_limits", labels, limitsOf(ofDaemons)),
      ...resourceSamples("karpenter_nodes_total_pod_limits", labels, limitsOf(ofOthers)),
      ...resourceSamples(
        "karpenter_nodes_system_overhead",
        labels,
        excess(resourcesOf(node.status?.capacity, "down"), own),
      ),
      { name: "karpenter_nodes_current_lifetime_seconds", labels, value: (nowMs - createdMs) / 1000 },
    ];
  });
  const used = ["cpu", "memory"].map((resource) => ({
    name: "karpenter_cluster_utilization_percent",
    labels: { resource_type: resource },
    value: percent(requested[resource] ?? 0, allocatable[resource] ?? 0),
  }));
  return [
    ...samples,
    ...used,
    { name: "karpenter_cluster_state_node_count", labels: {}, value: cluster.nodes.length },
    { name: "karpenter_cluster_state_synced", labels: {}, value: 1 },
    { name: "karpenter_cluster_state_unsynced_time_seconds", labels: {}, value: 0 },
  ];
}

function labelsOf({ metadata: { name, labels = {} } }: Node): Readonly<Record<string, string>> {
  return {
    node_name: name,
    nodepool: labels[nodePoolLabel] ?? "",
    zone: labels[zoneLabel] ?? "",
    instance_type: labels[instanceTypeLabel] ?? "",
    capacity_type: labels[capacityTypeLabel] ?? "",
    arch: labels[archLabel] ?? "",
    os: labels[osLabel] ?? "",
  };
}

function requestsOf(pods: readonly Pod[]): Resources {
  return pods.map(({ spec, status }) => podRequests(spec, status)).reduce(sum, {});
}

/** Containers without a limit have none to count. */
function limitsOf(pods: readonly Pod[]): Resources {
  return pods
    .flatMap(({ spec }) => spec.containers)
    .map(({ resources }) => resourcesOf(resources?.limits, "up"))
    .reduce(sum, {});
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : (100 * part) / whole;
}
