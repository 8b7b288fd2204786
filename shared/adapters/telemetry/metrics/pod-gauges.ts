import type { Pod } from "#api/core-v1/pod.ts";
import { archLabel, capacityTypeLabel, instanceTypeLabel, nodePoolLabel, zoneLabel } from "#api/karpenter-v1/labels.ts";
import { parseTime } from "#api/time.ts";
import { isProvisionable } from "#core/pod/pod-predicates.ts";
import type { TickReport } from "#ports/telemetry.ts";
import type { Sample } from "./sample.ts";

/** Each pod, how long it waits for a node, and what scheduling made of those that waited. */
export function podGauges({ snapshot: { cluster, nowMs }, decisions }: TickReport): readonly Sample[] {
  const nodes = new Map(cluster.nodes.map((node) => [node.metadata.name, node.metadata.labels ?? {}]));
  const codes = new Map<string, number>();
  for (const { decision } of decisions) {
    for (const { about, code } of decision.reasons) {
      if (about.kind === "Pod") codes.set(code, (codes.get(code) ?? 0) + 1);
    }
  }
  const count = (name: string, value: number, labels = {}): Sample => ({ name, labels, value });
  return [
    ...cluster.pods.flatMap((pod) => ofPod(pod, nodes.get(pod.spec.nodeName ?? "") ?? {}, nowMs)),
    count("karpenter_scheduler_queue_depth", cluster.pods.filter(isProvisionable).length, {
      controller: "provisioner",
    }),
    count("karpenter_scheduler_ignored_pods_count", codes.get("pod-ignored") ?? 0),
    count("karpenter_scheduler_unschedulable_pods_count", codes.get("pod-unschedulable") ?? 0, {
      controller: "provisioner",
    }),
  ];
}

function ofPod(pod: Pod, node: Readonly<Record<string, string>>, nowMs: number): readonly Sample[] {
  const { name, namespace = "default", creationTimestamp, ownerReferences = [] } = pod.metadata;
  const [owner] = ownerReferences;
  const ready = pod.status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";
  const labels = {
    ...{ name, namespace, owner: owner === undefined ? "" : `${owner.kind}/${owner.name}` },
    node: pod.spec.nodeName ?? "",
    scheduled: String(pod.spec.nodeName !== undefined),
    nodepool: node[nodePoolLabel] ?? "",
    zone: node[zoneLabel] ?? "",
    arch: node[archLabel] ?? "",
    capacity_type: node[capacityTypeLabel] ?? "",
    instance_type: node[instanceTypeLabel] ?? "",
    managed: String(node[nodePoolLabel] !== undefined),
    phase: pod.status?.phase ?? "",
    ready: String(ready),
  };
  const createdMs = parseTime(creationTimestamp) ?? nowMs;
  return [
    { name: "karpenter_pods_state", labels, value: 1 },
    ...(pod.status?.phase === "Pending"
      ? [
          {
            name: "karpenter_pods_unstarted_time_seconds",
            labels: { name, namespace },
            value: Math.max(0, nowMs - createdMs) / 1000,
          },
        ]
      : []),
    ...(pod.spec.nodeName === undefined
      ? [
          {
            name: "karpenter_pods_unbound_time_seconds",
            labels: { name, namespace },
            value: Math.max(0, nowMs - createdMs) / 1000,
          },
        ]
      : []),
  ];
}
