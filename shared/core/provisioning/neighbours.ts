/**
 * The nodes that are there, as rules between pods see them. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/topology.go, countDomains: a pod counts when it is bound, neither over nor on its
 * way out, and not one that gets a new place now. Nodes that are going away count as long as they are there, as for
 * kube-scheduler. It differs: daemons count from the moment when it is known that they will run there.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import { isTerminating } from "../pod/pod-predicates.ts";
import { daemonsOn, labelsOf } from "../scheduling/nodes/cluster-capacity.ts";
import type { Daemon } from "../scheduling/resources/daemon-overhead.ts";
import type { Neighbour } from "../scheduling/topology/topology.ts";
import { countingTaints, type StateNode } from "../state/state-node.ts";

/** `moving`: pods that are looking for a place. */
export function neighboursOf(
  states: readonly StateNode[],
  moving: readonly Pod[],
  daemons: readonly Daemon[],
): readonly Neighbour[] {
  const leaving = new Set(moving);
  const isAsked = [...moving, ...daemons.map(({ pod }) => pod)].some(keepsAway);
  const comingTo = (state: StateNode): readonly Pod[] =>
    isAsked && !state.deleting ? daemonsOn(state, daemons).coming.map(({ pod }) => pod) : [];
  return states.flatMap((state) => {
    const { name, node, pods } = state;
    const coming = comingTo(state);
    if (node === undefined && coming.length === 0) return [];
    const counted = pods.filter((pod) => !isTerminating(pod) && !leaving.has(pod));
    return [
      {
        name,
        labels: node === undefined ? labelsOf(state) : (node.metadata.labels ?? {}),
        taints: countingTaints(state),
        pods: [...counted, ...coming],
      },
    ];
  });
}

function keepsAway({ spec }: Pod): boolean {
  return (spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).length > 0;
}
