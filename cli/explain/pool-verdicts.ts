/** For one pod, what each NodePool alone could do: the same solver, asked about that pod and that pool only. */
import type { Pod } from "#api/core-v1/pod.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { provisioningProblem } from "#core/provisioning/scheduling-problem.ts";
import { byWeight } from "#core/scheduling/claims/candidate-pool.ts";
import type { SchedulingProblem } from "#core/scheduling/problem.ts";
import { solve } from "#core/scheduling/solve.ts";
import { ec2Provider } from "#ec2/provider.ts";
import type { Look } from "../plan/decide.ts";
import { choiceText } from "../plan/text.ts";

export interface PodOptions {
  /** The heaviest first, as they are tried. */
  readonly pools: readonly string[];
  /** What the nodes that are there lack for it; empty when there are none. */
  readonly nodes: readonly string[];
}

export function podOptions(look: Look, pod: Pod): PodOptions {
  const { problem } = provisioningProblem(look.snapshot, ec2Provider);
  // A pod that is refused for itself is no better off on any node.
  if (!problem.pods.includes(pod)) return { pools: [], nodes: [] };
  const pools = [...look.snapshot.cluster.nodePools].sort(byWeight);
  return {
    pools: pools.map(
      (nodePool) => `${nodePool.metadata.name}${weightText(nodePool)}: ${verdict(look, problem, nodePool, pod)}`,
    ),
    nodes: nodesVerdict(problem, pod),
  };
}

function verdict({ plan }: Look, problem: SchedulingProblem, nodePool: NodePool, pod: Pod): string {
  const { name } = nodePool.metadata;
  const pool = problem.pools.find((one) => one.nodePool.metadata.name === name);
  if (pool === undefined) {
    const leftOut = plan.reasons.find(({ about }) => about.kind === "NodePool" && about.name === name);
    return `is not considered: ${leftOut?.message ?? "its condition Ready is not True"}`;
  }
  const alone = solve({ ...problem, pods: [pod], capacity: [], pools: [pool] });
  const [claim] = alone.claims;
  if (claim !== undefined) {
    const { fitting, all } = claim.considered;
    return `could make a node for it alone: ${choiceText(claim.cheapest)} is the cheapest of ${fitting} types (of ${all})`;
  }
  const message = [...alone.unplaced, ...alone.deferred][0]?.message ?? "no";
  return message.replace(`NodePool ${name}: `, "");
}

function nodesVerdict(problem: SchedulingProblem, pod: Pod): readonly string[] {
  if (problem.capacity.length === 0) return [];
  const alone = solve({ ...problem, pods: [pod], pools: [] });
  const [place] = alone.nodes;
  if (place !== undefined) return [`${place.node.name} has room for it, if no other waiting pod takes it first`];
  const parts = alone.unplaced[0]?.message.split("; ") ?? [];
  return parts
    .filter((part) => part.startsWith("existing nodes: "))
    .map((part) => part.slice("existing nodes: ".length));
}

function weightText({ spec }: NodePool): string {
  return spec.weight === undefined ? "" : ` (weight ${spec.weight})`;
}
