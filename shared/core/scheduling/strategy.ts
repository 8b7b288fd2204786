/**
 * Ways to place pods that all keep the rules and differ in cost. Karpenter counterpart: none; it knows the first one, with
 * domains and equal claims drawn at random.
 */
import { nodeChargePerHour } from "./instance-types/node-charge.ts";

export interface Strategy {
  /** Karpenter's way: the claim with the fewest pods that can take the next one takes it, whatever that costs. */
  readonly fewestFirst: boolean;
  /** Pods of equal size come by age; otherwise class by class. */
  readonly podByPod: boolean;
  /** Who is expected to fill a dearer type: every pod that waits, those of the same class, or nobody else. */
  readonly demand: "all" | "class" | "none";
  /** What a new node counts beside its price, in dollars an hour. */
  readonly nodeCharge: number;
  /** How much more a pod may cost on a claim that grows than on a new one: a new one is a node more. */
  readonly growthTolerance: number;
  /** Which of equally full domains a new claim takes: the cheapest (0), or one drawn with this seed. */
  readonly domainSeed: number;
  /** As Karpenter draws it: the domain is tried, and no other one, though nothing may be had there. */
  readonly drawsBlindly: boolean;
  /** Pods that need a host each come before all others. */
  readonly hostsFirst: boolean;
  /** Pods that can use few domains come before those that can use any. */
  readonly tiedFirst: boolean;
  /** Small pods come first: where not all have room, more of them have. */
  readonly smallFirst: boolean;
  /** Claims do not grow beyond the point where only so few types are left that one shortage of capacity sinks them. */
  readonly keepsFlexibility: boolean;
}

export const standard: Strategy = {
  fewestFirst: false,
  podByPod: false,
  demand: "class",
  nodeCharge: nodeChargePerHour,
  growthTolerance: 1.1,
  domainSeed: 0,
  drawsBlindly: false,
  hostsFirst: true,
  tiedFirst: true,
  smallFirst: false,
  keepsFlexibility: true,
};

export const karpenters: Strategy = {
  fewestFirst: true,
  podByPod: true,
  demand: "all",
  nodeCharge: nodeChargePerHour,
  growthTolerance: Infinity,
  domainSeed: 0,
  drawsBlindly: false,
  hostsFirst: false,
  tiedFirst: false,
  smallFirst: false,
  keepsFlexibility: false,
};

/** Where flexibility and the number of nodes are looked at afterwards. */
const free: Strategy = { ...standard, nodeCharge: 0, keepsFlexibility: false };

const drawsMost = { withTerms: 64, others: 16 } as const;

/** Karpenter's way, drawn so often: each is an answer that it may give. */
export const karpentersDraws: readonly Strategy[] = Array.from({ length: drawsMost.withTerms }, (_, i) => ({
  ...karpenters,
  domainSeed: 7919 * (i + 1),
  drawsBlindly: true,
}));

/** Tried beside those while the problem is small enough, in this order. */
export const variations: readonly Strategy[] = [
  standard,
  karpenters,
  free,
  { ...standard, keepsFlexibility: false },
  { ...free, demand: "all", growthTolerance: 1.25 },
  { ...free, hostsFirst: false, tiedFirst: false },
  { ...karpenters, podByPod: false, tiedFirst: true },
  { ...free, growthTolerance: 1 },
  { ...free, demand: "all", growthTolerance: Infinity },
  { ...free, demand: "none", growthTolerance: 1 },
  ...[1, 2, 3, 4].flatMap((domainSeed) => [
    { ...free, demand: "all" as const, growthTolerance: 1.25, hostsFirst: false, domainSeed },
    { ...free, domainSeed },
  ]),
  ...[5, 6, 7, 8].map((domainSeed) => ({ ...free, hostsFirst: false, domainSeed })),
];

/** Tried when pods are left: more places count more than their price. */
export const forMorePlaces: readonly Strategy[] = [
  { ...standard, smallFirst: true },
  { ...karpenters, podByPod: false, smallFirst: true },
];

/** Pods that may be placed over all strategies together: bounds the time. */
const placementsMax = 3_000;
/** With more pods the time for each grows too: fewer placements. */
const manyPods = 200;
const placementsOfMany = 2_000;
/** More pods are placed in one way. */
const podsMax = 666;

/**
 * How many of each a problem with so many pods gets; undefined: not even Karpenter's way is worth the time. `withTerms`:
 * OR-ed terms can be given up in several orders, each of which is drawn.
 */
export function roundsFor(
  pods: number,
  withTerms = false,
): { readonly draws: number; readonly variations: number } | undefined {
  const rounds = Math.floor((pods > manyPods ? placementsOfMany : placementsMax) / Math.max(1, pods));
  if (pods > podsMax) return undefined;
  const draws = Math.min(drawsMost[withTerms ? "withTerms" : "others"], Math.ceil(rounds / 3));
  return { draws, variations: Math.min(variations.length, rounds - draws) };
}
