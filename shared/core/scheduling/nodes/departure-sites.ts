/**
 * The nodes that may be left out of a problem, and how well their pods have it there. Karpenter counterpart: none; it makes a
 * new scheduler for each set of nodes that might go.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import type { Resources } from "../../instance-type.ts";
import { isTerminating } from "../../pod/pod-predicates.ts";
import type { Step } from "../pods/class-in-work.ts";
import type { PreparedClass } from "../pods/class-preparer.ts";
import type { PreparedProblem } from "../prepared-problem.ts";
import { refresh, roomOnHost } from "../topology/domain-check.ts";
import { allowsAsIs } from "../topology/domain-choice.ts";
import type { NodeLane, PlacedNode } from "./node-lanes.ts";

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
      const own = (runs.get(name) ?? []).flatMap((run) => runsByLevel(run, place, prepared));
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

/**
 * Pods of one class keep the wishes that are met as if they had come one after the other: of two on a host that want a host
 * each, the first has what it wants. Else a host with one too many would be given up, and its pods would make others so.
 */
function runsByLevel({ prepared, pods }: BareRun, place: PlacedNode, { topology }: PreparedProblem): readonly Run[] {
  const counting = pods.filter((pod) => !isTerminating(pod));
  const { steps, membership } = prepared;
  if (steps.length <= 1) return [{ prepared, pods, counted: counting.length, level: steps.length - 1 }];
  topology.record(membership, -counting.length, place);
  const [first] = counting;
  const firstLevel = levelOf(steps, place);
  topology.record(membership, Math.max(0, counting.length - 1), place);
  const lastLevel = levelOf(steps, place);
  if (first !== undefined) topology.record(membership, 1, place);
  if (first === undefined || firstLevel === lastLevel) {
    return [{ prepared, pods, counted: counting.length, level: lastLevel }];
  }
  const others = pods.filter((pod) => pod !== first);
  return [
    { prepared, pods: [first], counted: 1, level: firstLevel },
    { prepared, pods: others, counted: counting.length - 1, level: lastLevel },
  ];
}

/** The strictest step that one more pod would meet there; the last step if none. */
function levelOf(steps: readonly Step[], place: PlacedNode): number {
  const met = steps.findIndex((step) => isMetBy(step, place));
  return met < 0 ? steps.length - 1 : met;
}

function isMetBy({ rules, tolerance, alternatives }: Step, { node, host, whereabouts }: PlacedNode): boolean {
  if (!tolerance.covers(node.node.taints, node.kind.taints) || !node.meets(alternatives)) return false;
  if (rules.none) return true;
  refresh(rules, true);
  return allowsAsIs(rules, whereabouts) && roomOnHost(rules.onHost, host) > 0;
}
