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
