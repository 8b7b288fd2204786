/**
 * The pods that need a place. Karpenter counterpart: pkg/controllers/provisioning/provisioner.go, GetPendingPods, and
 * pkg/controllers/state/statenode.go, CurrentlyReschedulablePods. No difference: pending pods that kube-scheduler could
 * not place, and the pods of nodes that are going away, as far as they can leave.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import type { LabelRules } from "#api/karpenter-v1/runtime-validation.ts";
import { objectName } from "../object-ref.ts";
import { disruptionBudgets, isCurrentlyReschedulable } from "../pod/pod-disruption.ts";
import { isActive, isProvisionable } from "../pod/pod-predicates.ts";
import type { PodVolumes, VolumeIndex } from "../scheduling/volumes/pod-volumes.ts";
import { anywhere } from "../scheduling/volumes/volume-topology.ts";
import type { ClusterView } from "../snapshot.ts";
import type { StateNode } from "../state/state-node.ts";
import { validatePod } from "./pod-validation.ts";

export interface Demand {
  readonly pods: readonly Pod[];
  /** Of `pods`, those that run on a node that is going away: its claim's name, by the pod's name. */
  readonly leaving: ReadonlyMap<string, string | undefined>;
  /** Of `pods`, those with volumes that matter for their place. */
  readonly volumes: ReadonlyMap<Pod, PodVolumes>;
  /** Pods that are refused before any node is looked at, and why. */
  readonly refused: readonly { readonly pod: Pod; readonly message: string }[];
}

/** `moving`: further pods that look for a place, as they are. */
export function demandOf(
  cluster: ClusterView,
  states: readonly StateNode[],
  rules: LabelRules,
  volumeIndex: VolumeIndex,
  nowMs: number,
  moving: readonly Pod[] = [],
): Demand {
  const verdicts = cluster.pods.filter(isWaiting).map((pod) => ({ pod, verdict: validatePod(pod, rules) }));
  const pending = verdicts.flatMap(({ pod, verdict }) => (verdict.kind === "valid" ? [pod] : []));
  const refused = verdicts.flatMap(({ pod, verdict }) =>
    verdict.kind === "invalid" ? [{ pod, message: verdict.message }] : [],
  );
  const budgets = disruptionBudgets(cluster.podDisruptionBudgets);
  const leaving = states
    .filter(({ deleting }) => deleting)
    .flatMap(({ pods, claim }) =>
      pods.filter((pod) => isCurrentlyReschedulable(pod, budgets, nowMs)).map((pod) => ({ pod, claim })),
    );
  const { pods, volumes, waiting } = byVolumes([...pending, ...leaving.map(({ pod }) => pod), ...moving], volumeIndex);
  return {
    pods,
    leaving: new Map(leaving.map(({ pod, claim }) => [objectName(pod.metadata), claim?.metadata.name])),
    volumes,
    refused: [...refused, ...waiting],
  };
}

/** `waiting`: pods that no node can help before something happens to their volumes. */
function byVolumes(
  pods: readonly Pod[],
  index: VolumeIndex,
): Pick<Demand, "pods" | "volumes"> & { readonly waiting: Demand["refused"] } {
  const volumes = new Map<Pod, PodVolumes>();
  const waiting = new Map<Pod, string>();
  for (const pod of pods) {
    if (pod.spec.volumes === undefined) continue;
    const answer = index.of(pod);
    if (answer.kind === "refused") waiting.set(pod, answer.message);
    else if (matters(answer)) volumes.set(pod, answer);
  }
  return {
    pods: waiting.size === 0 ? pods : pods.filter((pod) => !waiting.has(pod)),
    volumes,
    waiting: [...waiting].map(([pod, message]) => ({ pod, message })),
  };
}

function matters({ places, attachments }: PodVolumes): boolean {
  return places !== anywhere || attachments.length > 0;
}

function isWaiting(pod: Pod): boolean {
  return isProvisionable(pod) && isActive(pod);
}
