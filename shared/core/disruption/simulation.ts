/**
 * Karpenter counterpart: pkg/controllers/disruption/helpers.go, SimulateScheduling. It differs: pods are first placed
 * without making new nodes, so that a node is not replaced whose pods have room elsewhere.
 */
import type { KubeObject } from "#api/core-v1/meta.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import { formatTime } from "#api/time.ts";
import { isReschedulable } from "../pod/pod-predicates.ts";
import { provisioningProblem, type SchedulingProvider } from "../provisioning/scheduling-problem.ts";
import type { SchedulingProblem } from "../scheduling/problem.ts";
import type { PlacedOnNode, PlannedClaim, Solution, Unplaced } from "../scheduling/solution.ts";
import { solve } from "../scheduling/solve.ts";
import type { Snapshot } from "../snapshot.ts";
import type { StateNode } from "../state/state-node.ts";
import type { Candidate } from "./candidate.ts";
import { isUnderConsolidateAfter } from "./consolidate-after.ts";

/** `consolidation`: pods do not go to nodes on which something happened within their pool's consolidateAfter. */
export type Purpose = "consolidation" | "drift";

/** The cluster without some of its nodes. Each pod of theirs that comes back elsewhere is in exactly one of the lists. */
export interface Simulation {
  /** Claims to be made for the pods, without the pods that wait for a node already. */
  readonly replacements: readonly PlannedClaim[];
  /** On nodes that stay. */
  readonly placements: readonly PlacedOnNode[];
  /** Not empty: the nodes cannot go. */
  readonly unplaced: readonly Unplaced[];
}

/** What all simulations of one tick have in common. */
export interface SimulationBase {
  readonly simulate: (candidates: readonly Candidate[]) => Simulation;
}

/** `candidates`: all that any simulation on this base may leave out. */
export function simulationBase<View>(
  snapshot: Snapshot<View>,
  provider: SchedulingProvider<View>,
  _candidates: readonly Candidate[],
  purpose: Purpose,
): SimulationBase {
  return {
    simulate: (some) => {
      const without = withoutNodes(snapshot, some);
      const { problem, states } = provisioningProblem(without, provider, "fallback");
      const moving = new Set(some.flatMap(({ pods }) => pods.filter(isReschedulable)));
      const closed = purpose === "consolidation" ? closedNodes(snapshot, states) : new Set<string>();
      const gone = new Set(some.map(({ node }) => node.metadata.name));
      const open = {
        ...problem,
        capacity: problem.capacity.filter(({ name }) => !closed.has(name)),
        neighbours: (problem.neighbours ?? []).filter(({ name }) => !gone.has(name)),
      };
      return simulated(open, states, moving);
    },
  };
}

/** The cluster minus these nodes: where their pods would go. Nothing is changed. */
export function simulateWithout(base: SimulationBase, candidates: readonly Candidate[]): Simulation {
  return base.simulate(candidates);
}

function simulated(problem: SchedulingProblem, states: readonly StateNode[], moving: ReadonlySet<Pod>): Simulation {
  const here = ofPods(solve({ ...problem, pools: [] }), states, moving);
  return here.unplaced.length === 0 ? here : ofPods(solve(problem), states, moving);
}

function ofPods(solution: Solution, states: readonly StateNode[], moving: ReadonlySet<Pod>): Simulation {
  const only = <T extends { readonly pods: readonly Pod[] }>(list: readonly T[]): readonly T[] =>
    list.flatMap((one) => {
      const pods = one.pods.filter((pod) => moving.has(pod));
      return pods.length === 0 ? [] : [{ ...one, pods }];
    });
  const placements = only(solution.nodes);
  const settled = new Set(states.filter(({ claim, initialized }) => claim === undefined || initialized).map(nameOf));
  const unsure = placements.filter(({ node }) => !settled.has(node.name));
  return {
    replacements: solution.claims.filter(({ pods }) => pods.some((pod) => moving.has(pod))),
    placements: placements.filter(({ node }) => settled.has(node.name)),
    unplaced: [
      ...only([...solution.unplaced, ...solution.deferred]),
      ...unsure.map(({ node, pods }) => ({
        pods,
        message: `only ${node.name} has room, which is not initialized yet`,
      })),
    ],
  };
}

/** Karpenter: nodes within consolidateAfter take no pods of other candidates. */
function closedNodes(snapshot: Snapshot, states: readonly StateNode[]): ReadonlySet<string> {
  const pools = new Map(snapshot.cluster.nodePools.map((pool) => [pool.metadata.name, pool]));
  return new Set(
    states
      .filter(({ claim }) => claim !== undefined && isUnderConsolidateAfter(claim, pools, snapshot.nowMs))
      .map(nameOf),
  );
}

function withoutNodes<View>(snapshot: Snapshot<View>, candidates: readonly Candidate[]): Snapshot<View> {
  const going = new Set<KubeObject>(candidates.flatMap(({ claim, node }) => [claim, node]));
  const deletionTimestamp = formatTime(snapshot.nowMs);
  const marked = <T extends KubeObject>(list: readonly T[]): readonly T[] =>
    list.map((one) => (going.has(one) ? { ...one, metadata: { ...one.metadata, deletionTimestamp } } : one));
  const { cluster } = snapshot;
  return {
    ...snapshot,
    cluster: { ...cluster, nodes: marked(cluster.nodes), nodeClaims: marked(cluster.nodeClaims) },
  };
}

function nameOf({ name }: StateNode): string {
  return name;
}
