/**
 * Karpenter counterpart: pkg/controllers/disruption/helpers.go, SimulateScheduling. It differs: pods are first placed
 * without making new nodes, so that a node is not replaced whose pods have room elsewhere, and no wish that is met now is
 * given up for that; pods that wait for a node anyway have their places before.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import { disruptionBudgets, isCurrentlyReschedulable } from "../pod/pod-disruption.ts";
import { provisioningProblem, type SchedulingProvider } from "../provisioning/scheduling-problem.ts";
import type { ClaimInWork } from "../scheduling/claims/claim-in-work.ts";
import { nodesResource } from "../scheduling/claims/node-pool-limits.ts";
import { plannedClaims } from "../scheduling/claims/planned-claim.ts";
import type { PinningRules } from "../scheduling/claims/reserved-claim.ts";
import type { Leaving } from "../scheduling/nodes/departure-sites.ts";
import { type Departed, Departures, type Search } from "../scheduling/nodes/departures.ts";
import { type PreparedProblem, prepared } from "../scheduling/prepared-problem.ts";
import { resourcesOf } from "../scheduling/resources/resources.ts";
import type { PlacedOnNode, PlannedClaim, Unplaced } from "../scheduling/solution.ts";
import { karpenters, standard } from "../scheduling/strategy.ts";
import { explainUnplaced } from "../scheduling/unplaced/unplaced.ts";
import type { Snapshot } from "../snapshot.ts";
import type { StateNode } from "../state/state-node.ts";
import type { Candidate } from "./candidate.ts";
import { isUnderConsolidateAfter } from "./consolidate-after.ts";

/**
 * `consolidation`: pods do not go to nodes on which something happened within their pool's consolidateAfter, and as few new
 * nodes as possible are made, since more than one is of no use.
 */
export type Purpose = "consolidation" | "drift";

/** The cluster without some of its nodes. Each pod of theirs that comes back elsewhere is in exactly one of the lists. */
export interface Simulation {
  /** Claims to be made for the pods. */
  readonly replacements: readonly PlannedClaim[];
  /** On nodes that stay. */
  readonly placements: readonly PlacedOnNode[];
  /** Not empty: the nodes cannot go. */
  readonly unplaced: readonly Unplaced[];
}

/** A trial while it stands: everything in it is taken back when it has been looked at. */
export interface Trial {
  readonly claims: readonly ClaimInWork[];
  readonly placements: () => readonly PlacedOnNode[];
  /** Undefined: all pods have a place. */
  readonly unplaced: (() => readonly Unplaced[]) | undefined;
}

export class SimulationBase {
  readonly problem: PreparedProblem;
  readonly pinning: PinningRules;
  readonly #departures: Departures;
  readonly #purpose: Purpose;
  readonly #moving: ReadonlySet<Pod>;
  readonly #refused: ReadonlyMap<Pod, string>;
  readonly #unsettled: ReadonlySet<string>;

  constructor(problem: PreparedProblem, parts: BaseParts) {
    this.problem = problem;
    this.#departures = new Departures(problem, parts.leaving, parts.closed);
    this.#purpose = parts.purpose;
    this.#moving = new Set([...parts.leaving.values()].flatMap(({ pods }) => pods));
    this.#refused = parts.refused;
    this.#unsettled = parts.unsettled;
    const { minValuesPolicy: policy, reservationIdLabel } = problem.problem;
    this.pinning = { sets: problem.sets, policy, reservationIdLabel };
  }

  /** What `read` makes of the cluster without these nodes. `newNodes`: pods may get some where there is no room. */
  trial<T>(candidates: readonly Candidate[], newNodes: boolean, read: (trial: Trial) => T): T {
    const { mark } = this.#departures;
    const result = read(this.#tried(candidates, newNodes));
    this.#departures.backTo(mark);
    return result;
  }

  /** Those that can go one after the other, in this order, without any new node; at most `max`. */
  oneByOne(
    candidates: readonly Candidate[],
    max: number,
    { mayGo, gone }: { readonly mayGo: (one: Candidate) => boolean; readonly gone: (one: Candidate) => void },
  ): readonly Candidate[] {
    const departures = this.#departures;
    const { mark } = departures;
    const chosen: Candidate[] = [];
    for (const candidate of candidates) {
      if (chosen.length >= max) break;
      if (!mayGo(candidate) || this.#refusedOf([candidate]) !== undefined) continue;
      const before = departures.mark;
      if (this.#isWhole(departures.leave([candidate.node.metadata.name], { wishes: "no-more" }))) {
        chosen.push(candidate);
        gone(candidate);
      } else departures.backTo(before);
    }
    departures.backTo(mark);
    return chosen;
  }

  #tried(candidates: readonly Candidate[], newNodes: boolean): Trial {
    const names = candidates.map(({ node }) => node.metadata.name);
    const refused = this.#refusedOf(candidates);
    if (refused !== undefined) return refused;
    const departures = this.#departures;
    const { mark } = departures;
    const here = departures.leave(names, { wishes: "no-more" });
    if (!newNodes || this.#isWhole(here)) return this.#trialOf(here);
    departures.backTo(mark);
    const newClaims = this.#purpose === "consolidation" ? karpenters : standard;
    const made = departures.leave(names, { newClaims, wishes: "all" });
    if (this.#isGood(made) || !departures.haveWishes(names)) return this.#trialOf(made);
    departures.backTo(mark);
    const modest: Search = { newClaims, wishes: "as-now" };
    const kept = departures.leave(names, modest);
    if (this.#isGood(kept)) return this.#trialOf(kept);
    departures.backTo(mark);
    return this.#trialOf(departures.leave(names, { newClaims, wishes: "all" }));
  }

  #isGood(departed: Departed): boolean {
    return this.#isWhole(departed) && (this.#purpose === "drift" || departed.claims.length <= 1);
  }

  /** Every pod has a place that is sure. */
  #isWhole({ left, places }: Departed): boolean {
    return left.length === 0 && !places.some((place) => this.#unsettled.has(place.node.node.name));
  }

  #trialOf(departed: Departed): Trial {
    const placements = (): readonly PlacedOnNode[] =>
      departed.places.flatMap(({ node }) => {
        const pods = node.pods.filter((pod) => this.#moving.has(pod));
        return pods.length === 0 ? [] : [{ node: node.node, pods }];
      });
    return {
      claims: departed.claims,
      placements: () => placements().filter(({ node }) => !this.#unsettled.has(node.name)),
      unplaced: this.#isWhole(departed) ? undefined : () => this.#unplacedOf(departed, placements()),
    };
  }

  #unplacedOf({ left }: Departed, placements: readonly PlacedOnNode[]): readonly Unplaced[] {
    const { pools, sets, dimensions, topology } = this.problem;
    const homeless = left.map(({ podClass, steps, apartFrom, waiting }) => {
      const message = explainUnplaced({ podClass, steps, apartFrom, pools, nodes: [], sets, dimensions, topology });
      return { pods: waiting, message: `no node that stays has room; ${message}` };
    });
    const unsure = placements
      .filter(({ node }) => this.#unsettled.has(node.name))
      .map(({ node, pods }) => ({ pods, message: `only ${node.name} has room, which is not initialized yet` }));
    return [...homeless, ...unsure];
  }

  /** Pods whose volumes cannot be had, and nodes that nobody knows the room of. */
  #refusedOf(candidates: readonly Candidate[]): Trial | undefined {
    const refused = candidates.flatMap(({ node, pods }): readonly Unplaced[] => {
      if (!this.#departures.has(node.metadata.name)) return [{ pods, message: "what is on its node is not known" }];
      return pods.flatMap((pod) => {
        const message = this.#refused.get(pod);
        return message === undefined ? [] : [{ pods: [pod], message }];
      });
    });
    return refused.length === 0 ? undefined : { claims: [], placements: () => [], unplaced: () => refused };
  }
}

interface BaseParts {
  readonly leaving: ReadonlyMap<string, Leaving>;
  readonly closed: ReadonlySet<string>;
  readonly unsettled: ReadonlySet<string>;
  readonly refused: ReadonlyMap<Pod, string>;
  readonly purpose: Purpose;
}

/** What all simulations of one tick have in common. `candidates`: all that any of them may leave out. */
export function simulationBase<View>(
  snapshot: Snapshot<View>,
  provider: SchedulingProvider<View>,
  candidates: readonly Candidate[],
  purpose: Purpose,
): SimulationBase {
  const { cluster, nowMs } = snapshot;
  const budgets = disruptionBudgets(cluster.podDisruptionBudgets);
  // Karpenter: for pods that cannot leave nothing is made.
  const movingPods = candidates.map(({ pods }) => pods.filter((pod) => isCurrentlyReschedulable(pod, budgets, nowMs)));
  const moving = movingPods.flat();
  const { problem, states, demand } = provisioningProblem(snapshot, provider, "fallback", moving);
  const unsettled = states.filter(({ claim, initialized }) => claim !== undefined && !initialized);
  return new SimulationBase(prepared(problem), {
    leaving: new Map(candidates.map((one, i) => [one.node.metadata.name, leavingOf(one, movingPods[i] ?? [])])),
    closed: purpose === "consolidation" ? closedNodes(snapshot, states) : new Set(),
    unsettled: new Set(unsettled.map(nameOf)),
    refused: new Map(demand.refused.map(({ pod, message }) => [pod, message])),
    purpose,
  });
}

/** The cluster minus these nodes: where their pods would go. Nothing is changed. */
export function simulateWithout(base: SimulationBase, candidates: readonly Candidate[]): Simulation {
  return base.trial(candidates, true, ({ claims, placements, unplaced }) => ({
    replacements: plannedClaims(claims, base.problem.dimensions, base.pinning),
    placements: placements(),
    unplaced: unplaced?.() ?? [],
  }));
}

function leavingOf({ node, nodePool }: Candidate, pods: readonly Pod[]): Leaving {
  return {
    pods,
    nodePool: nodePool.metadata.name,
    capacity: { ...resourcesOf(node.status?.capacity, "down"), [nodesResource]: 1 },
  };
}

/** Karpenter: nodes within consolidateAfter take no pods of candidates. */
function closedNodes(snapshot: Snapshot, states: readonly StateNode[]): ReadonlySet<string> {
  const pools = new Map(snapshot.cluster.nodePools.map((pool) => [pool.metadata.name, pool]));
  return new Set(
    states
      .filter(({ claim }) => claim !== undefined && isUnderConsolidateAfter(claim, pools, snapshot.nowMs))
      .map(nameOf),
  );
}

function nameOf({ name }: StateNode): string {
  return name;
}
