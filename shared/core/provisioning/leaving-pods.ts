/**
 * Pods of nodes that are going go where there is room, before any new node is thought of. kube-scheduler will do so when
 * they are evicted, whatever they only wish for; and a node that went because its pods have room elsewhere shall not be
 * made again for them. Karpenter counterpart: none; it tries their preferences on new nodes first.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import { conditionOf } from "../condition.ts";
import { disruptionReason } from "../nodeclaim/conditions.ts";
import { objectName } from "../object-ref.ts";
import type { Budget } from "../scheduling/improvement/budget.ts";
import { podDigest } from "../scheduling/pods/expected-pods.ts";
import type { SchedulingProblem } from "../scheduling/problem.ts";
import type { Solution } from "../scheduling/solution.ts";
import { solve } from "../scheduling/solve.ts";
import type { StateNode } from "../state/state-node.ts";
import type { Demand } from "./demand.ts";

/** The answer with such pods settled first, unless that leaves more pods without a place or costs more. */
export function solveWithLeaving(
  problem: SchedulingProblem,
  demand: Pick<Demand, "leaving">,
  states: readonly StateNode[],
  budget?: Budget,
): Solution {
  const plain = solve(problem, budget);
  if (plain.claims.length === 0 && plain.unplaced.length === 0) return plain;
  const settled = withLeavingSettled(problem, demand, states);
  if (settled === problem) return plain;
  const other = solve(settled, budget);
  const left = new Set(leftOf(plain));
  return leftOf(other).every((pod) => left.has(pod)) && costOf(other) <= costOf(plain) ? other : plain;
}

function leftOf({ unplaced, deferred }: Solution): readonly Pod[] {
  return [...unplaced, ...deferred].flatMap(({ pods }) => pods);
}

function costOf({ claims }: Solution): number {
  return claims.reduce((sum, { cheapest }) => sum + cheapest.pricePerHour, 0);
}

/** The problem in which such pods are expected on the nodes that have room for them. */
function withLeavingSettled(
  problem: SchedulingProblem,
  { leaving }: Pick<Demand, "leaving">,
  states: readonly StateNode[],
): SchedulingProblem {
  const going = states.filter(({ deleting }) => deleting);
  if (going.length === 0 || problem.capacity.length === 0) return problem;
  // While a disruption is under way its pods come back one by one as new ones.
  const isDisrupted = going.some(
    ({ claim }) => claim !== undefined && conditionOf(claim, disruptionReason) !== undefined,
  );
  const pods = isDisrupted ? problem.pods : problem.pods.filter(({ metadata }) => leaving.has(objectName(metadata)));
  if (pods.length === 0) return problem;
  const gone = new Set(going.map(({ name }) => name));
  // Pods that cannot leave yet are still there when the others look for a place.
  const neighbours = (problem.neighbours ?? []).filter((one) => !gone.has(one.name) || one.pods.length > 0);
  const { nodes } = solve({ ...problem, pods, neighbours, newNodes: false });
  const expected = new Map(nodes.map(({ node, pods: placed }) => [node.name, digestsOf(placed)]));
  if (expected.size === 0) return problem;
  return {
    ...problem,
    capacity: problem.capacity.map((item) => {
      const more = expected.get(item.name);
      return more === undefined ? item : { ...item, expects: [...(item.expects ?? []), ...more] };
    }),
  };
}

function digestsOf(pods: readonly Pod[]): readonly string[] {
  return pods.map(podDigest);
}
