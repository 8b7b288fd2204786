import type { Condition, KubeObject } from "#api/core-v1/meta.ts";
import { parseTime } from "#api/time.ts";
import type { TickReport } from "#ports/telemetry.ts";
import type { Sample } from "./sample.ts";

/** Every condition of our objects, and how long it has been as it is. Karpenter: operatorpkg's status controller. */
export function conditionGauges({ snapshot: { cluster, nowMs } }: TickReport): readonly Sample[] {
  return [
    ...cluster.nodeClaims.flatMap((object) => of("nodeclaim", object, object.status?.conditions, nowMs)),
    ...cluster.nodePools.flatMap((object) => of("nodepool", object, object.status?.conditions, nowMs)),
    ...cluster.nodeClasses.flatMap((object) => of("ec2nodeclass", object, object.status?.conditions, nowMs)),
    ...cluster.nodeClaims.flatMap((object) => leaving("nodeclaim", object, nowMs)),
    ...cluster.nodePools.flatMap((object) => leaving("nodepool", object, nowMs)),
    ...cluster.nodeClasses.flatMap((object) => leaving("ec2nodeclass", object, nowMs)),
    ...cluster.nodes.flatMap((object) => leaving("node", object, nowMs)),
  ];
}

function of(
  kind: string,
  { metadata }: KubeObject,
  conditions: readonly Condition[] = [],
  nowMs: number,
): readonly Sample[] {
  return conditions.flatMap(({ type, status, reason = "", lastTransitionTime }) => {
    const labels = { namespace: metadata.namespace ?? "", name: metadata.name, type, status, reason };
    const sinceMs = parseTime(lastTransitionTime) ?? nowMs;
    return [
      { name: `operator_${kind}_status_condition_count`, labels, value: 1 },
      {
        name: `operator_${kind}_status_condition_current_status_seconds`,
        labels,
        value: Math.max(0, nowMs - sinceMs) / 1000,
      },
    ];
  });
}

/** How long an object has been on its way out. */
function leaving(
  kind: string,
  { metadata: { name, namespace = "", deletionTimestamp } }: KubeObject,
  nowMs: number,
): readonly Sample[] {
  const sinceMs = parseTime(deletionTimestamp);
  if (sinceMs === undefined) return [];
  const value = Math.max(0, nowMs - sinceMs) / 1000;
  return [{ name: `operator_${kind}_termination_current_time_seconds`, labels: { namespace, name }, value }];
}
