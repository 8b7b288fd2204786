import type { Pod } from "#api/core-v1/pod.ts";
import { formatTime } from "#api/time.ts";
import { asJson } from "../api-server/api-server.ts";
import type { Parts } from "../parts.ts";

export const schedulerName = "default-scheduler";

/** Says on the pod and in an event why no node will do: what Outrigger and every other autoscaler waits for. */
export function sayUnschedulable(pod: Pod, message: string, { api, clock, events }: Parts): void {
  const before = pod.status?.conditions ?? [];
  const old = before.find(({ type }) => type === "PodScheduled");
  if (old?.reason !== "Unschedulable" || old.message !== message) {
    const lastTransitionTime =
      (old?.status === "False" ? old.lastTransitionTime : undefined) ?? formatTime(clock.nowMs());
    const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message, lastTransitionTime };
    const conditions = [...before.filter(({ type }) => type !== "PodScheduled"), condition];
    api.patchStatus("Pod", pod.metadata.name, pod.metadata.namespace, { conditions: asJson(conditions) });
  }
  events.record(pod, "Warning", "FailedScheduling", message, schedulerName);
}
