/**
 * Ways to place pods that all keep the rules and differ in cost. Karpenter counterpart: none; it knows the first one, with
 * domains and equal claims drawn at random.
 */

export interface Strategy {
  /** Karpenter's way: the claim with the fewest pods that can take the next one takes it, whatever that costs. */
  readonly fewestFirst: boolean;
  /** Who is expected to fill a dearer type: every pod that waits, those of the same class, or nobody else. */
  readonly demand: "all" | "class" | "none";
  /** How much more a pod may cost on a claim that grows than on a new one: a new one is a node more. */
  readonly growthTolerance: number;
  /** Which of equally full domains a new claim takes: the cheapest (0), or one drawn by class with this seed. */
  readonly domainSeed: number;
  /** Claims do not grow beyond the point where only so few types are left that one shortage of capacity sinks them. */
  readonly keepsFlexibility: boolean;
}

export const standard: Strategy = {
  fewestFirst: false,
  demand: "all",
  growthTolerance: 1.25,
  domainSeed: 0,
  keepsFlexibility: true,
};

export const karpenters: Strategy = {
  fewestFirst: true,
  demand: "all",
  growthTolerance: Infinity,
  domainSeed: 0,
  keepsFlexibility: false,
};

/** Tried beside the two above while the problem is small enough, in this order. */
export const variations: readonly Strategy[] = [
  { ...standard, keepsFlexibility: false },
  { ...standard, keepsFlexibility: false, demand: "class" },
  { ...standard, keepsFlexibility: false, demand: "class", growthTolerance: 1 },
  { ...standard, keepsFlexibility: false, growthTolerance: Infinity },
  { ...standard, keepsFlexibility: false, demand: "none", growthTolerance: 1 },
  ...[1, 2, 3, 4].flatMap((domainSeed) => [
    { ...standard, keepsFlexibility: false, domainSeed },
    { ...karpenters, domainSeed },
  ]),
  ...[5, 6, 7, 8].map((domainSeed) => ({ ...standard, keepsFlexibility: false, domainSeed, demand: "class" as const })),
];

/** Pods that may be placed over all strategies together: bounds the time. */
const placementsMax = 2_000;

/** How many of `variations` a problem with so many pods gets; undefined: not even Karpenter's way is worth the time. */
export function variationsFor(pods: number): number | undefined {
  const rounds = Math.floor(placementsMax / Math.max(1, pods));
  return rounds < 3 ? undefined : Math.min(variations.length, rounds - 2);
}
