/**
 * Karpenter counterpart: none. Says a pause where people look: on the NodePools, and on the pods for which a node would be
 * made.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { nothing } from "../decision.ts";
import { isManagedPool, type NodeClassKind } from "../nodeclaim/managed.ts";
import { refOf } from "../object-ref.ts";
import { isProvisionable } from "../pod/pod-predicates.ts";
import type { Reason } from "../reason.ts";
import type { Stage } from "../stage.ts";
import { pauseOf, pauseText } from "../state/pause.ts";

export function paused<View>({ nodeClass }: { readonly nodeClass: NodeClassKind }): Stage<View> {
  return {
    name: "paused",
    decide: ({ cluster, nowMs }) => {
      const pause = pauseOf(cluster.state, nowMs);
      if (pause === undefined) return nothing;
      const message = pauseText(pause);
      const pools = cluster.nodePools.filter((pool) => isManagedPool(pool, nodeClass));
      const pods = pools.length === 0 ? [] : cluster.pods.filter(isProvisionable);
      const reasons = [...pools.map((pool) => ofPool(pool, message)), ...pods.map((pod) => ofPod(pod, message))];
      return { ...nothing, reasons, ...(pause.untilMs === undefined ? {} : { againAtMs: pause.untilMs }) };
    },
  };
}

function ofPool(pool: NodePool, message: string): Reason {
  return { about: refOf("NodePool", pool), code: "paused", message, event: { type: "Warning", reason: "Paused" } };
}

function ofPod(pod: Pod, message: string): Reason {
  return { about: refOf("Pod", pod), code: "paused", message, event: { type: "Warning", reason: "FailedScheduling" } };
}
