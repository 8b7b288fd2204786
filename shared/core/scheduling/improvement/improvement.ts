/**
 * Makes a plan cheaper after it was found: the claims of each lane are packed anew together; then again and again a few of
 * them change pods with each other, relieve one that is nearly a cheaper type, or are packed anew, and what costs less is
 * kept. Bounded by steps, so that the same problem with the same bound gives the same plan. Never dearer, never narrower
 * than the claims were or need to be. Karpenter counterpart: none; what its scheduler packs badly its consolidation mends
 * later, node by node.
 */
import type { Attempt } from "../attempt.ts";
import type { PreparedProblem } from "../prepared-problem.ts";
import type { ResourceVector } from "../resources/resource-vector.ts";
import type { Bench } from "./bench.ts";
import { type Bin, typesOf } from "./bin.ts";
import { type BinGroup, binGroups } from "./bin-group.ts";
import type { Budget } from "./budget.ts";
import { Dice } from "./dice.ts";
import { exchanged } from "./exchange.ts";
import { HostTally } from "./host-rules.ts";
import { improvedClaims } from "./improved-claims.ts";
import type { PackingWay } from "./packing.ts";
import { relieved } from "./relief.ts";
import { repacked } from "./repacking.ts";

/** Bins whose pods are packed anew in one step, at most. */
const most = 5;
/** So many pairs are looked at for an exchange for each packing anew. */
const exchangesPerRepacking = 6;
/** Every other step looks for a relief; after so many in vain one step of so many. */
const reliefsInVainMost = 1_000;
const reliefsRarely = 16;
/** For a bin of the same lane so often is drawn. */
const draws = 8;
/** Of so many drawn bins the one with the most waste is taken. */
const drawn = 3;

/** In what ways all claims of a lane are packed anew together. */
const laneWays: readonly PackingWay[] = ["evenly", "drawn"];
/** Kinds of pods times claims, over all lanes: with more of them such a packing takes longer than its gain is worth. */
const laneLooksMost = 50_000;

export function improved({ problem, classes }: PreparedProblem, made: Attempt, budget: Budget): Attempt {
  const { placed, context } = made;
  const { more, classesMost } = budget;
  if (classes.length > classesMost * problem.pods.length || !context.reservations.none) return made;
  const groups = binGroups(placed, context.sets);
  const dice = new Dice(1);
  const benches = groups.map(({ hosts }): Bench => {
    const vector = (): ResourceVector => new Float64Array(context.dimensions.names.length);
    return { dice, tally: new HostTally(hosts), reliefsInVain: 0, vectors: [vector(), vector()] };
  });
  let steps = more(wasteOf(groups));
  if (steps === 0) return made;
  packLanes(groups, benches);
  for (; steps > 0; steps = more(wasteOf(groups))) {
    for (let i = 0; i < steps; i++) {
      const number = drawnGroup(groups, dice);
      const [group, bench] = [groups[number], benches[number]];
      if (group !== undefined && bench !== undefined) step(group, bench);
    }
  }
  const claims = groups.some(({ changed }) => changed) ? improvedClaims(made, groups) : undefined;
  return claims === undefined ? made : { ...made, claims };
}

function packLanes(groups: readonly BinGroup[], benches: readonly Bench[]): void {
  let looks = laneLooksMost;
  for (const [i, group] of groups.entries()) {
    const bench = benches[i];
    for (const lane of new Set(group.bins.map((bin) => bin.lane))) {
      const old = group.bins.filter((bin) => bin.lane === lane);
      looks -= old.length * new Set(old.flatMap(({ loads }) => loads.map(({ kind }) => kind))).size;
      if (looks < 0 || bench === undefined) return;
      for (const way of laneWays) {
        const bins = group.bins.filter((bin) => bin.lane === lane);
        const found = repacked(lane, bins, bench, way);
        if (found !== undefined) exchange(group, bins, found);
      }
    }
  }
}

/** Share of the cost beyond what the pods are worth. */
function wasteOf(groups: readonly BinGroup[]): number {
  let [cost, worth] = [0, 0];
  for (const { bins } of groups) {
    for (const bin of bins) {
      cost += bin.cost;
      worth += bin.worth;
    }
  }
  return cost === 0 ? 0 : 1 - worth / cost;
}

function step(group: BinGroup, bench: Bench): void {
  const { dice } = bench;
  if (dice.below(bench.reliefsInVain > reliefsInVainMost ? reliefsRarely : 2) === 0) {
    const relief = relieved(group.bins, bench);
    bench.reliefsInVain = relief === undefined ? bench.reliefsInVain + 1 : 0;
    if (relief !== undefined) exchange(group, relief.old, relief.found);
    return;
  }
  const first = wasteful(group.bins, dice);
  if (first === undefined) return;
  if (dice.below(exchangesPerRepacking + 1) === 0) {
    const old = laneBins(group, first, dice);
    exchange(group, old, repacked(first.lane, old, bench, "drawn"));
    return;
  }
  const second = partnerOf(first, group, dice);
  if (second !== undefined) exchange(group, [first, second], exchanged(first, second, bench));
}

/** Puts the new bins in the place of the old ones, if there are any and limits allow it. */
function exchange(group: BinGroup, old: readonly Bin[], found: readonly Bin[] | undefined): void {
  if (found === undefined || !isWithinLimits(group, old, found)) return;
  const { bins } = group;
  for (const bin of old) bins.splice(bins.indexOf(bin), 1);
  bins.push(...found);
  group.changed = true;
}

/** A group with many bins is drawn more often. */
function drawnGroup(groups: readonly BinGroup[], dice: Dice): number {
  let all = 0;
  for (const { bins } of groups) all += bins.length;
  let at = dice.below(all);
  let number = 0;
  for (const { bins } of groups) {
    if (at < bins.length) return number;
    at -= bins.length;
    number++;
  }
  return -1;
}

function wasteful(bins: readonly Bin[], dice: Dice): Bin | undefined {
  let best: Bin | undefined;
  for (let i = 0; i < drawn; i++) {
    const bin = bins[dice.below(bins.length)];
    if (best === undefined || (bin !== undefined && bin.cost - bin.worth > best.cost - best.worth)) best = bin;
  }
  return best;
}

/** Another bin; only pods that rules leave free can change the lane, so mostly it is one of the same. */
function partnerOf(first: Bin, { bins }: BinGroup, dice: Dice): Bin | undefined {
  const anyLane = dice.below(4) === 0;
  for (let i = 0; i < draws; i++) {
    const bin = bins[dice.below(bins.length)];
    if (bin !== undefined && bin !== first && (anyLane || bin.lane === first.lane)) return bin;
  }
  return undefined;
}

/** Some bins of the first one's lane, it among them. */
function laneBins({ bins }: BinGroup, first: Bin, dice: Dice): readonly Bin[] {
  const chosen = new Set([first]);
  const wanted = 1 + dice.below(most);
  for (let i = 0; i < draws && chosen.size < wanted; i++) {
    const bin = wasteful(bins, dice);
    if (bin?.lane === first.lane) chosen.add(bin);
  }
  return [...chosen];
}

/** Each claim counts as the largest type that it may become, as when claims are made. */
function isWithinLimits(
  { pool: { limits, index }, claimsMost, bins }: BinGroup,
  before: readonly Bin[],
  after: readonly Bin[],
): boolean {
  if (claimsMost === undefined) return limits.exchange(before.map(typesOf), after.map(typesOf), index);
  return bins.length - before.length + after.length <= claimsMost;
}
