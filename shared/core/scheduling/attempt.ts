/** Places all pods of a problem once, in one way. Karpenter counterpart: scheduler.go, Solve. */
import type { Pod } from "#api/core-v1/pod.ts";
import type { ClaimInWork } from "./claim-in-work.ts";
import type { ClassInWork } from "./class-in-work.ts";
import { NodeInWork } from "./existing-node.ts";
import { podDigest } from "./expected-pods.ts";
import type { PlacedNode } from "./node-lanes.ts";
import type { OpenClaim } from "./open-claim.ts";
import { Placement } from "./placement.ts";
import type { PreparedProblem } from "./prepared-problem.ts";
import type { SchedulingProblem } from "./problem.ts";
import { type Held, Reservations } from "./reservations.ts";
import type { Strategy } from "./strategy.ts";

export interface Attempt {
  readonly nodes: readonly NodeInWork[];
  readonly claims: readonly ClaimInWork[];
  /** With the pods that are left. */
  readonly classes: readonly ClassInWork[];
}

/** Only the last attempt's state is left in the problem's counts and limits. */
export function attempt(prepared: PreparedProblem, strategy: Strategy): Attempt {
  const { problem, sets, dimensions, profiles, topology, pools } = prepared;
  topology.rewind();
  for (const { limits } of pools) limits.rewind();
  const classes = prepared.classes.map((one) => ({ ...one, waiting: one.podClass.pods, deferred: false }));
  const nodes = prepared.nodes.map(({ node, kind, host, whereabouts }, order): PlacedNode => {
    return { node: new NodeInWork(node, kind, dimensions, sets), order, host, whereabouts };
  });
  const rules = { sets, dimensions, profiles, policy: problem.minValuesPolicy, reservations: reservationsOf(problem) };
  const placement = new Placement(nodes, topology, rules, pools.length > 0, strategy);
  placeExpected(classes, placement);
  placeAll(classes, placement);
  return { nodes: nodes.map(({ node }) => node), claims: placement.claims, classes };
}

/**
 * Classes one after the other; then those that may find a place after what came later do it again: followers of pods that
 * had no place yet, spreads whose fewest became more, and pods for which a claim gave a reservation back.
 */
function placeAll(classes: readonly ClassInWork[], placement: Placement): void {
  for (const one of classes) placement.expect(one);
  for (const one of classes) placement.place(one);
  let left = classes.filter((one) => one.waiting.length > 0 && (one.deferred || asksOfPods(one)));
  // Each round but the last places a pod.
  while (left.length > 0) {
    const helped = left.map((one) => placement.place(one) || (placement.settleFor(one) && placement.place(one)));
    if (!helped.includes(true)) return;
    left = left.filter(({ waiting }) => waiting.length > 0);
  }
}

function asksOfPods({ steps }: ClassInWork): boolean {
  return steps.some(({ rules }) => !rules.none);
}

/** Pods for which a claim exists go there, if they still can. */
function placeExpected(classes: readonly ClassInWork[], placement: Placement): void {
  const expecting = new Map<string, PlacedNode>();
  for (const place of placement.nodes) {
    for (const digest of place.node.node.expects ?? []) expecting.set(digest, place);
  }
  if (expecting.size === 0) return;
  for (const one of classes) {
    one.waiting = one.waiting.filter((pod: Pod) => {
      const place = expecting.get(podDigest(pod));
      return place === undefined || !placement.placeExpected(one, pod, place);
    });
  }
}

function reservationsOf({
  reservedMode = "off",
  reservationIdLabel,
  pools,
  capacity,
}: SchedulingProblem): Reservations {
  const offers = [...new Set(pools.map(({ instanceTypes }) => instanceTypes))];
  const waiting = capacity.flatMap((item) =>
    item.kind === "open-claim" && reservationIdLabel !== undefined ? [namedIn(item, reservationIdLabel)] : [],
  );
  return new Reservations(reservedMode, offers, waiting);
}

function namedIn({ requirements }: OpenClaim, label: string): Held {
  return new Set(
    requirements.flatMap(({ key, operator, values = [] }) => (key === label && operator === "In" ? values : [])),
  );
}
