import type { Json } from "#api/core-v1/meta.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import type { Job } from "#api/core-v1/workload.ts";
import { formatTime } from "#api/time.ts";
import type { ApiServer } from "../api-server/api-server.ts";
import type { Parts } from "../parts.ts";
import { Workqueue } from "../workqueue.ts";
import { isActive, podFrom, podsOf, queueWithDependents } from "./ownership.ts";

/** Kubernetes: default backoffLimit. */
const backoffLimit = 6;

type JobStatus = NonNullable<Job["status"]> & {
  readonly failed?: number;
  readonly completionTime?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
};

/**
 * Runs pods until enough have succeeded. Ended pods are counted once, by UID, in the status, so that a pod may be
 * collected with its node. A pod that is deleted before it ends counts as failed. Indexed completion is not modelled.
 */
export function startJobs({ api, clock, delays }: Parts): void {
  const counted = new Map<string, Set<string>>();
  const queue = new Workqueue(clock, delays.controllerMs, (key) => {
    const job = api.store.get("Job", key);
    if (job === undefined || job.metadata.deletionTimestamp !== undefined) return;
    const uid = job.metadata.uid ?? "";
    const seen = counted.get(uid) ?? new Set<string>();
    counted.set(uid, seen);
    reconcile(job, seen, api, formatTime(clock.nowMs()));
  });
  queueWithDependents(api, "Job", queue);
}

function reconcile(job: Job, seen: Set<string>, api: ApiServer, now: string): void {
  const before: JobStatus = job.status ?? {};
  if (isFinished(before)) return;
  const pods = podsOf(job, api);
  const succeeded = (before.succeeded ?? 0) + countNew(pods, seen, ({ status }) => status?.phase === "Succeeded");
  const failed = (before.failed ?? 0) + countNew(pods, seen, hasFailed);
  const completions = job.spec.completions ?? job.spec.parallelism ?? 1;
  const limit = (job.spec as { readonly backoffLimit?: number }).backoffLimit ?? backoffLimit;
  const end = failed > limit ? "Failed" : succeeded >= completions ? "Complete" : undefined;
  scaleTo(end === undefined ? Math.min(job.spec.parallelism ?? 1, completions - succeeded) : 0, job, api);
  const status: Json = {
    active: podsOf(job, api).filter(isActive).length,
    succeeded,
    failed,
    ...(end === undefined ? {} : { conditions: [{ type: end, status: "True", lastTransitionTime: now }] }),
    ...(end === "Complete" ? { completionTime: now } : {}),
  };
  api.patchStatus("Job", job.metadata.name, job.metadata.namespace, status);
}

function scaleTo(wanted: number, job: Job, api: ApiServer): void {
  const active = podsOf(job, api).filter(isActive);
  for (const pod of active.slice(wanted)) api.delete("Pod", pod.metadata.name, pod.metadata.namespace);
  const restartPolicy = job.spec.template.spec.restartPolicy ?? "Never";
  for (let missing = wanted - active.length; missing > 0; missing--) {
    api.create(podFrom(job, job.spec.template, { labels: { "job-name": job.metadata.name }, spec: { restartPolicy } }));
  }
}

function isFinished(status: JobStatus): boolean {
  return (status.conditions ?? []).some(
    ({ type, status: value }) => (type === "Complete" || type === "Failed") && value === "True",
  );
}

/** Notes the pods that `ended` names and that were not counted before; answers how many. */
function countNew(pods: readonly Pod[], seen: Set<string>, ended: (pod: Pod) => boolean): number {
  const fresh = pods.filter((pod) => ended(pod) && !seen.has(pod.metadata.uid ?? ""));
  for (const pod of fresh) seen.add(pod.metadata.uid ?? "");
  return fresh.length;
}

function hasFailed({ status, metadata }: Pod): boolean {
  return status?.phase === "Failed" || (metadata.deletionTimestamp !== undefined && status?.phase !== "Succeeded");
}
