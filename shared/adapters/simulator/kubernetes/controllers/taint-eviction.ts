import type { Pod, Taint } from "#api/core-v1/pod.ts";
import { parseTime } from "#api/time.ts";
import { disruptPod } from "../api-server/pod-subresources.ts";
import type { Parts } from "../parts.ts";
import { tolerates } from "../scheduler/taints.ts";
import { Workqueue } from "../workqueue.ts";
import { isActive } from "./ownership.ts";

/**
 * Kubernetes' taint eviction controller: a NoExecute taint drives pods away that do not tolerate it at once, those that
 * tolerate it for a time after that time, counted for each pod from when both it and the taint were on the node. Budgets
 * are not asked.
 */
export function startTaintEviction({ api, clock, delays }: Parts): void {
  /** When this controller first saw a taint, by node and taint. */
  const seenMs = new Map<string, Map<string, number>>();
  /** When a pod came to its node, by UID; forgotten when it is gone. */
  const arrivedMs = new Map<string, number>();
  const queue = new Workqueue(clock, delays.controllerMs, (nodeName) => {
    const node = api.store.get("Node", nodeName);
    const taints = (node?.spec.taints ?? []).filter(({ effect }) => effect === "NoExecute");
    if (taints.length === 0) {
      seenMs.delete(nodeName);
      return;
    }
    const nowMs = clock.nowMs();
    const before = seenMs.get(nodeName);
    const since = new Map(taints.map((taint) => [textOf(taint), before?.get(textOf(taint)) ?? addedMs(taint, nowMs)]));
    seenMs.set(nodeName, since);
    for (const pod of api.store.podsOnNode(nodeName).filter(isActive)) {
      const atMs = leavesAtMs(pod, taints, since, arrivedMs.get(pod.metadata.uid ?? "") ?? nowMs);
      if (atMs === undefined) continue;
      if (atMs <= nowMs) disruptPod(api, pod, "DeletionByTaintManager");
      else clock.at(atMs, () => queue.add(nodeName));
    }
  });
  api.store.listen(({ object, previous, type }) => {
    if (type === "DELETED") {
      arrivedMs.delete(object.metadata.uid ?? "");
      return;
    }
    if (object.kind === "Node") queue.add(object.metadata.name);
    const bound = object.kind === "Pod" ? (object as Pod).spec.nodeName : undefined;
    if (bound === undefined || (previous as Pod | undefined)?.spec.nodeName !== undefined) return;
    arrivedMs.set(object.metadata.uid ?? "", arrivalMs(object as Pod, clock.nowMs()));
    queue.add(bound);
  });
}

function textOf(taint: Taint): string {
  return `${taint.key}=${taint.value ?? ""}`;
}

/** A taint out of a manifest may be older than the first look at it. */
function addedMs({ timeAdded }: Taint, nowMs: number): number {
  return Math.min(parseTime(timeAdded) ?? nowMs, nowMs);
}

/** So is a pod that came with its node. */
function arrivalMs({ status }: Pod, nowMs: number): number {
  return Math.min(parseTime(status?.startTime) ?? nowMs, nowMs);
}

/** Undefined: the pod may stay for ever. */
function leavesAtMs(
  pod: Pod,
  taints: readonly Taint[],
  since: ReadonlyMap<string, number>,
  podArrivedMs: number,
): number | undefined {
  let earliest: number | undefined;
  for (const taint of taints) {
    const tolerations = (pod.spec.tolerations ?? []).filter((toleration) => tolerates(toleration, taint));
    const seconds = tolerations.flatMap(({ tolerationSeconds }) => tolerationSeconds ?? []);
    if (tolerations.length > 0 && seconds.length === 0) continue;
    const toleratedMs = tolerations.length === 0 ? 0 : Math.max(0, Math.min(...seconds)) * 1000;
    const atMs = Math.max(since.get(textOf(taint)) ?? 0, podArrivedMs) + toleratedMs;
    earliest = Math.min(earliest ?? atMs, atMs);
  }
  return earliest;
}
