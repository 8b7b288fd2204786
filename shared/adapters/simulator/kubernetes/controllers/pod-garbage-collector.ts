import type { Pod } from "#api/core-v1/pod.ts";
import type { ApiServer } from "../api-server/api-server.ts";
import type { Parts } from "../parts.ts";
import { isTerminal } from "./ownership.ts";

/**
 * Kubernetes' pod garbage collector: pods whose node is gone for longer than the quarantine are marked failed and
 * deleted by force. So are pods on their way out that never came to a node, since no kubelet will. It looks by the period, and only while there is such a node.
 */
export function startPodGarbageCollector({ api, clock, delays }: Parts): void {
  const goneSinceMs = new Map<string, number>();
  let looking = false;
  const look = (): void => {
    for (const [nodeName, sinceMs] of goneSinceMs) {
      const back = api.store.get("Node", nodeName) !== undefined;
      const pods = api.store.podsOnNode(nodeName);
      if (back || pods.length === 0) goneSinceMs.delete(nodeName);
      else if (clock.nowMs() >= sinceMs + delays.podGcQuarantineMs) for (const pod of pods) collect(pod, api);
    }
    looking = goneSinceMs.size > 0;
    if (looking) clock.after(delays.podGcPeriodMs, look);
  };
  const note = (nodeName: string): void => {
    if (goneSinceMs.has(nodeName)) return;
    goneSinceMs.set(nodeName, clock.nowMs());
    if (!looking) clock.after(delays.podGcPeriodMs, look);
    looking = true;
  };
  api.store.listen(({ object, type }) => {
    if (object.kind === "Node" && type === "DELETED") note(object.metadata.name);
    if (object.kind !== "Pod" || type === "DELETED") return;
    const { nodeName } = (object as Pod).spec;
    if (nodeName === undefined && object.metadata.deletionTimestamp !== undefined) {
      clock.after(delays.controllerMs, () =>
        api.delete("Pod", object.metadata.name, object.metadata.namespace, { gracePeriodSeconds: 0 }),
      );
    }
    if (nodeName !== undefined && api.store.get("Node", nodeName) === undefined) note(nodeName);
  });
}

function collect(pod: Pod, api: ApiServer): void {
  const { name, namespace } = pod.metadata;
  if (!isTerminal(pod)) api.patchStatus("Pod", name, namespace, { phase: "Failed", reason: "NodeLost" });
  api.delete("Pod", name, namespace, { gracePeriodSeconds: 0 });
}
