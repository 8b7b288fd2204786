/**
 * The nodes that may be left out of a problem, and how well their pods have it there. Karpenter counterpart: none; it makes a
 * new scheduler for each set of nodes that might go.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import type { Resources } from "../instance-type.ts";
import { isTerminating } from "../pod/pod-predicates.ts";
import type { Step } from "./class-in-work.ts";
import type { NodeLane, PlacedNode } from "./node-lanes.ts";
import type { PreparedClass, PreparedProblem } from "./prepared-problem.ts";
import { refresh, roomOnHost } from "./topology/domain-check.ts";
import { allowsAsIs } from "./topology/domain-choice.ts";

/** A node that may be left out. */
export interface Leaving {
  /** Those that come back elsewhere; they are among the pods of the problem. */
  readonly pods: readonly Pod[];
  readonly nodePool: string;
  /** With `nodes`: what its pool's limits get back. */
  readonly capacity: Resources;
}

/** Pods of one class on one node. */
export interface Run {
  readonly prepared: PreparedClass;
  readonly pods: readonly Pod[];
  /** Of them, those that rules between pods count: the others are on their way out already. */
  readonly counted: number;
  /** The strictest step that is met where they are. */
  readonly level: number;
}

export interface Site {
  readonly place: PlacedNode;
  readonly lane: NodeLane;
  readonly slot: number;
  readonly leaving: Leaving;
  /** In the order of the classes. */
  readonly runs: readonly Run[];
}

/** By name of the node. Counts are changed and put back. */
export function departureSites(
  prepared: PreparedProblem,
  lanes: readonly NodeLane[],
  leaving: ReadonlyMap<string, Leaving>,
): ReadonlyMap<string, Site> {
  const runs = runsByNode(prepared, leaving);
  const sites = new Map<string, Site>();
  for (const lane of lanes) {
    for (const [slot, place] of lane.places.entries()) {
      const { name } = place.node.node;
      const one = leaving.get(name);
      if (one === undefined) continue;
      const own = (runs.get(name) ?? []).map((run) => ({
        ...run,
        counted: run.pods.filter((pod) => !isTerminating(pod)).length,
        level: levelOf(run.prepared, place, prepared),
      }));
      sites.set(name, { place, lane, slot, leaving: one, runs: own });
    }
  }
  return sites;
}

interface BareRun {
  readonly prepared: PreparedClass;
  readonly pods: Pod[];
}

function runsByNode(
  { classes }: PreparedProblem,
  leaving: ReadonlyMap<string, Leaving>,
): ReadonlyMap<string, readonly BareRun[]> {
  const runs = new Map<string, BareRun[]>();
  const homes = new Map([...leaving].flatMap(([name, { pods }]) => pods.map((pod) => [pod, name] as const)));
  for (const prepared of classes) {
    for (const pod of prepared.podClass.pods) {
      const name = homes.get(pod);
      if (name === undefined) continue;
      const list = runs.get(name) ?? [];
      runs.set(name, list);
      const last = list.at(-1);
      if (last?.prepared === prepared) last.pods.push(pod);
      else list.push({ prepared, pods: [pod] });
    }
  }
  return runs;
}

/** The strictest step that a pod of the class meets where it is, were it the last one that came; the last step if none. */
function levelOf({ steps, membership }: PreparedClass, place: PlacedNode, { topology }: PreparedProblem): number {
  const last = steps.length - 1;
  if (last <= 0) return last;
  topology.record(membership, -1, place);
  const met = steps.findIndex((step) => isMetBy(step, place));
  topology.record(membership, 1, place);
  return met < 0 ? last : met;
}

function isMetBy({ rules, tolerance, alternatives }: Step, { node, host, whereabouts }: PlacedNode): boolean {
  if (!tolerance.covers(node.node.taints, node.kind.taints) || !node.meets(alternatives)) return false;
  if (rules.none) return true;
  refresh(rules, true);
  return allowsAsIs(rules, whereabouts) && roomOnHost(rules.onHost, host) > 0;
}
