/** NodePools that rest, as pods hear of them that wait for one. Karpenter counterpart: none; see nodepool/off-hours.ts. */
import type { Pod } from "#api/core-v1/pod.ts";
import { nodePoolLabel } from "#api/karpenter-v1/labels.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { eventMessageMax, shortened } from "../message.ts";
import { restInWords, restOf } from "../nodepool/off-hours.ts";
import { requiredAlternatives } from "../scheduling/requirements/node-affinity.ts";
import {
  firstConflict,
  intersectRequirements,
  labelRequirements,
  requirementsOf,
} from "../scheduling/requirements/requirements.ts";
import { firstUntolerated } from "../scheduling/requirements/taints.ts";
import type { Unplaced } from "../scheduling/solution.ts";
import type { Snapshot } from "../snapshot.ts";

/** How many pools a message names. */
const namedMax = 3;

/** Puts before a cause the pools that rest and that could otherwise be the pods' own. */
export function restingPoolsTeller(snapshot: Snapshot): (unplaced: Unplaced) => Unplaced {
  const resting = snapshot.cluster.nodePools.flatMap((nodePool) => {
    const rest = restOf(snapshot, nodePool.metadata.name);
    const words = rest === undefined ? undefined : restInWords(rest, snapshot.nowMs);
    return words === undefined ? [] : [{ nodePool, text: `NodePool ${nodePool.metadata.name} ${words}` }];
  });
  if (resting.length === 0) return (unplaced) => unplaced;
  return ({ pods, message }) => {
    const [pod] = pods;
    const texts = resting.filter(({ nodePool }) => pod !== undefined && mayTake(nodePool, pod)).map(({ text }) => text);
    if (texts.length === 0) return { pods, message };
    const more = texts.length > namedMax ? [`${texts.length - namedMax} more NodePools rest`] : [];
    const words = [...texts.slice(0, namedMax), ...more, message].join("; ");
    return { pods, message: shortened(words, eventMessageMax), resting: true };
  };
}

/** By taints, labels and requirements; whether it would have room nobody asks while it rests. */
function mayTake({ metadata, spec: { template } }: NodePool, pod: Pod): boolean {
  if (firstUntolerated(template.spec.taints ?? [], pod.spec.tolerations) !== undefined) return false;
  const labels = { ...template.metadata?.labels, [nodePoolLabel]: metadata.name };
  const own = intersectRequirements(requirementsOf(template.spec.requirements), labelRequirements(labels));
  return requiredAlternatives(pod.spec).some((asked) => firstConflict(own, asked) === undefined);
}
