/**
 * Places all pods of a problem once, in one way. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/scheduler.go, Solve. It differs: pods alike are placed together.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import type { ClaimContext } from "./claims/claim-context.ts";
import type { ClaimInWork } from "./claims/claim-in-work.ts";
import type { PlacedClaim } from "./claims/claim-lanes.ts";
import { DomainDraw } from "./claims/domain-draw.ts";
import type { OpenClaim } from "./claims/open-claim.ts";
import { type Held, Reservations } from "./instance-types/reservations.ts";
import { NodeInWork } from "./nodes/existing-node.ts";
import { type NodeLane, nodeLanes, type PlacedNode } from "./nodes/node-lanes.ts";
import { Placement } from "./placement.ts";
import type { ClassInWork } from "./pods/class-in-work.ts";
import { podDigest } from "./pods/expected-pods.ts";
import type { PodClass } from "./pods/pod-class.ts";
import { gather, runsInQueue } from "./pods/queue-order.ts";
import type { PreparedProblem } from "./prepared-problem.ts";
import type { SchedulingProblem } from "./problem.ts";
import type { Strategy } from "./strategy.ts";

export interface Attempt {
  readonly nodes: readonly NodeInWork[];
  readonly claims: readonly ClaimInWork[];
  /** The same claims with who came to them, as they were made. */
  readonly placed: readonly PlacedClaim[];
  readonly context: ClaimContext;
  /** With the pods that are left. */
  readonly classes: readonly ClassInWork[];
}

/** Each one more knows of the domains that surprised the one before. */
export const repeatsMax = 2;

/** The same for the same strategy, whatever was tried before. Its state is left in the problem's counts and limits. */
export function attempt(prepared: PreparedProblem, strategy: Strategy): Attempt {
  const { lanes: _, nodes, ...made } = placed(prepared, strategy, ({ pods }) => pods);
  return { ...made, nodes: nodes.map(({ node }) => node) };
}

export interface Placed extends Omit<Attempt, "nodes"> {
  readonly nodes: readonly PlacedNode[];
  readonly lanes: readonly NodeLane[];
}

/** Places the pods of each class that wait. */
export function placed(
  prepared: PreparedProblem,
  strategy: Strategy,
  waitingOf: (podClass: PodClass) => readonly Pod[],
): Placed {
  prepared.topology.restart();
  let made = once(prepared, strategy, waitingOf);
  for (let i = 0; i < repeatsMax && prepared.topology.isSurprised; i++) {
    prepared.topology.rewind();
    made = once(prepared, strategy, waitingOf);
  }
  return made;
}

function once(
  prepared: PreparedProblem,
  strategy: Strategy,
  waitingOf: (podClass: PodClass) => readonly Pod[],
): Placed {
  const { problem, sets, dimensions, profiles, topology, pools } = prepared;
  for (const { limits } of pools) limits.rewind();
  const draw = new DomainDraw(strategy.domainSeed);
  const classes = prepared.classes.map((one) => ({
    ...one,
    steps: strategy.drawsBlindly ? (draw.of(one.stepsByTerm) ?? one.steps) : one.steps,
    waiting: waitingOf(one.podClass),
    deferred: false,
    failedAt: [],
  }));
  const nodes = prepared.nodes.map(({ node, kind, host, whereabouts }, order): PlacedNode => {
    return { node: new NodeInWork(node, kind, dimensions, sets), order, host, whereabouts };
  });
  const rules = { sets, dimensions, profiles, policy: problem.minValuesPolicy, reservations: reservationsOf(problem) };
  const lanes = nodeLanes(nodes, dimensions.names.length);
  const mayMake = pools.length > 0 && problem.newNodes !== false;
  const placement = new Placement({ lanes }, topology, rules, mayMake, strategy);
  placeExpected(classes, nodes, placement);
  if (strategy.podByPod) {
    const runs = runsInQueue(classes);
    placeAll(runs, placement);
    gather(classes, runs);
  } else placeAll(tightestFirst(classes, prepared, strategy), placement);
  const left = strategy.drawsBlindly
    ? classes.map((one, i) => ({ ...one, steps: prepared.classes[i]?.steps ?? [] }))
    : classes;
  const claims = placement.claims.map(({ claim }) => claim);
  return { nodes, lanes, claims, placed: placement.claims, context: rules, classes: left };
}

/**
 * Classes one after the other; then those that may find a place after what came later do it again: followers of pods that
 * had no place yet, spreads whose fewest became more, and pods for which a claim gave a reservation back.
 */
export function placeAll(classes: readonly ClassInWork[], placement: Placement): void {
  for (const one of classes) placement.expect(one);
  for (const one of classes) placement.place(one);
  let left = classes.filter((one) => one.waiting.length > 0 && (one.deferred || asksOfPods(one)));
  // Each round but the last places a pod.
  for (let round = 0; left.length > 0; round++) {
    const waiting = left;
    const helped = left.map((one) => again(one, waiting, placement, round));
    if (!helped.includes(true)) return;
    left = left.filter((one) => one.waiting.length > 0);
  }
}

/** Says whether it placed a pod. From the second time on it is tried only when something can have opened a domain for it. */
function again(one: ClassInWork, waiting: readonly ClassInWork[], placement: Placement, round: number): boolean {
  const mayHelp = round === 0 || one.deferred || placement.hasOpened(one);
  if (mayHelp && placement.place(one)) return true;
  return placement.placeBySettling(one, waiting);
}

/**
 * Pods that need a host each come first, since the others fill what these leave; then pods that can use few of the domains
 * over which their rules count, before others take those.
 */
function tightestFirst(
  classes: readonly ClassInWork[],
  { topology }: PreparedProblem,
  strategy: Strategy,
): readonly ClassInWork[] {
  if (strategy.smallFirst) return [...classes].reverse();
  if (!strategy.hostsFirst && !strategy.tiedFirst) return classes;
  const needsHost = ({ steps }: ClassInWork): boolean =>
    steps.at(-1)?.rules.onHost.aparts.some(({ self }) => self) === true;
  const isTied = ({ steps }: ClassInWork): boolean => {
    const { rules, alternatives = [] } = steps.at(-1) ?? { rules: undefined };
    if (rules === undefined || rules.byKey.length === 0) return false;
    const keys = rules.byKey.map(({ index }) => topology.groups.keys.list[index]?.name ?? "");
    return alternatives.some(({ requirements }) => keys.some((key) => requirements.has(key)));
  };
  const byRank: ClassInWork[][] = [[], [], [], []];
  for (const one of classes) {
    const rank = (strategy.hostsFirst && needsHost(one) ? 0 : 2) + (strategy.tiedFirst && isTied(one) ? 0 : 1);
    byRank[rank]?.push(one);
  }
  return byRank.flat();
}

/** Places may come up for it when others have been placed. */
export function asksOfPods({ steps }: ClassInWork): boolean {
  return steps.some(({ rules }) => !rules.none);
}

/** Pods for which a claim exists go there, if they still can; else to whatever else is there. */
function placeExpected(classes: readonly ClassInWork[], nodes: readonly PlacedNode[], placement: Placement): void {
  const expecting = new Map<string, PlacedNode>();
  for (const place of nodes) {
    for (const digest of place.node.node.expects ?? []) expecting.set(digest, place);
  }
  if (expecting.size === 0) return;
  const displaced = new Map<ClassInWork, Pod[]>();
  for (const one of classes) {
    one.waiting = one.waiting.filter((pod: Pod) => {
      const place = expecting.get(podDigest(pod));
      if (place === undefined) return true;
      if (placement.placeExpected(one, pod, place)) return false;
      const others = displaced.get(one);
      if (others === undefined) displaced.set(one, [pod]);
      else others.push(pod);
      return true;
    });
  }
  for (const [one, pods] of displaced) {
    const left = new Set(placement.placePromised(one, pods));
    const placed = new Set(pods.filter((pod) => !left.has(pod)));
    if (placed.size > 0) one.waiting = one.waiting.filter((pod) => !placed.has(pod));
  }
}

export function reservationsOf({
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
