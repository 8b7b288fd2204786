/**
 * Why a class of pods found no place, in a person's words: for each NodePool the first rule that leaves nothing, with
 * the numbers, then what the existing nodes lack. Karpenter counterpart: the errors of
 * pkg/controllers/provisioning/scheduling/nodeclaim.go, InstanceTypeFilterError.
 */

import { describeAmount } from "./amount-text.ts";
import type { Ask } from "./ask.ts";
import type { CandidatePool } from "./candidate-pool.ts";
import type { NodeInWork, Tolerance } from "./existing-node.ts";
import type { PodClass } from "./pod-class.ts";
import type { RequirementSets } from "./requirement-set.ts";
import type { Dimensions } from "./resource-vector.ts";
import { describeTaint, firstUntolerated } from "./taints.ts";
import { poolObstacle } from "./unplaced-by-pool.ts";

export interface UnplacedQuestion {
  readonly podClass: PodClass;
  /** The strictest first; the last one, which asks for the least, is explained. */
  readonly steps: readonly (Ask & { readonly tolerance: Tolerance })[];
  readonly pools: readonly CandidatePool[];
  readonly nodes: readonly NodeInWork[];
  readonly sets: RequirementSets;
  readonly dimensions: Dimensions;
}

/** Kubernetes: an event's message has at most 1,024 characters. */
const longestMessage = 1_000;
const mostPools = 5;

export function explainUnplaced(question: UnplacedQuestion): string {
  const { podClass, steps, pools, nodes } = question;
  if (podClass.unsupported !== undefined) {
    return `this pod uses ${podClass.unsupported}, which is not supported yet, so no node is made for it`;
  }
  const step = steps.at(-1);
  if (step === undefined || step.alternatives.length === 0) {
    return "its nodeSelector and required node affinity contradict each other: no node can meet them";
  }
  const parts = pools.slice(0, mostPools).map((pool) => {
    const obstacle = poolObstacle(pool, step, question.sets, question.dimensions);
    return `NodePool ${pool.nodePool.metadata.name}: ${obstacle}`;
  });
  if (pools.length === 0) parts.push("no NodePool is ready to make nodes");
  if (pools.length > mostPools) parts.push(`${pools.length - mostPools} more NodePools`);
  const existing = nodesObstacle(nodes, step, question.dimensions);
  if (existing !== undefined) parts.push(existing);
  return bounded(parts.join("; "));
}

export function bounded(message: string, limit: number = longestMessage): string {
  return message.length <= limit ? message : `${message.slice(0, limit - 1)}…`;
}

/** "of 3 nodes 1 has a taint …, 1 …": undefined when there are no nodes. */
function nodesObstacle(
  nodes: readonly NodeInWork[],
  step: Ask & { readonly tolerance: Tolerance },
  dimensions: Dimensions,
): string | undefined {
  if (nodes.length === 0) return undefined;
  let [tainted, unlike, full] = [0, 0, 0];
  let taint: string | undefined;
  const most = new Float64Array(dimensions.names.length);
  for (const work of nodes) {
    const untolerated = firstUntolerated(work.node.taints, step.tolerance.tolerations);
    if (untolerated !== undefined) {
      tainted++;
      taint ??= describeTaint(untolerated);
    } else if (!work.meets(step.alternatives)) {
      unlike++;
    } else {
      full++;
      for (let d = 0; d < most.length; d++) most[d] = Math.max(most[d] ?? 0, work.free[d] ?? 0);
    }
  }
  const causes: string[] = [];
  if (tainted > 0) causes.push(`${tainted} with an untolerated taint (${taint})`);
  if (unlike > 0) causes.push(`${unlike} with other labels`);
  if (full > 0) causes.push(`${full} without room${shortOf(most, step, dimensions)}`);
  return `existing nodes: ${causes.join(", ")}`;
}

function shortOf(most: Float64Array, step: Ask, dimensions: Dimensions): string {
  for (const [d, name] of dimensions.names.entries()) {
    const [wanted, found] = [step.requests[d] ?? 0, most[d] ?? 0];
    if (wanted > found)
      return ` (${name}: ${describeAmount(name, wanted)} wanted, at most ${describeAmount(name, found)} free)`;
  }
  return step.hostPorts.length > 0 ? " (or its host port is taken)" : "";
}
