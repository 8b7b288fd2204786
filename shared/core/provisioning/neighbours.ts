/**
 * The nodes that are there, as rules between pods see them. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/topology.go, countDomains: a pod counts when it is bound, neither over nor on its
 * way out, and not one that gets a new place now. Nodes that are going away count as long as they are there, as for
 * kube-scheduler.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import { isTerminating } from "../pod/pod-predicates.ts";
import type { Neighbour } from "../scheduling/topology/topology.ts";
import { countingTaints, type StateNode } from "../state/state-node.ts";

/** `moving`: pods that are looking for a place. */
export function neighboursOf(states: readonly StateNode[], moving: readonly Pod[]): readonly Neighbour[] {
  const leaving = new Set(moving);
  return states.flatMap((state) => {
    const { name, node, pods } = state;
    if (node === undefined) return [];
    const counted = pods.filter((pod) => !isTerminating(pod) && !leaving.has(pod));
    return [
      {
        name,
        labels: node.metadata.labels ?? {},
        taints: countingTaints(state),
        pods: counted,
      },
    ];
  });
}
