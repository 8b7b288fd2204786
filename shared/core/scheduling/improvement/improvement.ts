/**
 * Makes a plan cheaper after it was found: again and again a few claims change pods with each other or are packed anew,
 * and what costs less is kept. Bounded by steps, so that the same problem with the same bound gives the same plan. Never
 * dearer, never narrower than the claims were or need to be. Karpenter counterpart: none; what its scheduler packs badly
 * its consolidation mends later, node by node.
 */
import type { Attempt } from "../attempt.ts";
import type { PreparedProblem } from "../prepared-problem.ts";
import { type Bin, typesOf } from "./bin.ts";
import { type BinGroup, binGroups } from "./bin-group.ts";
import type { Budget } from "./budget.ts";
import { Dice } from "./dice.ts";
import { exchanged } from "./exchange.ts";
import { HostTally } from "./host-rules.ts";
import { improvedClaims } from "./improved-claims.ts";
import { repacked } from "./repacking.ts";

/** Bins whose pods are packed anew in one step, at most. */
const most = 5;
/** So many pairs are looked at for an exchange for each packing anew. */
const exchangesPerRepacking = 6;
/** For a bin of the same lane so often is drawn. */
const draws = 8;
/** Of so many drawn bins the one with the most waste is taken. */
const drawn = 3;

export function improved({ problem, classes }: PreparedProblem, made: Attempt, budget: Budget): Attempt {
  const { placed, context } = made;
  const { more, classesMost } = budget;
  if (classes.length > classesMost * problem.pods.length || !context.reservations.none) return made;
  const groups = binGroups(placed, context.sets);
  const dice = new Dice(1);
  const tallies = groups.map(({ hosts }) => new HostTally(hosts));
  for (let steps = more(wasteOf(groups)); steps > 0; steps = more(wasteOf(groups))) {
    for (let i = 0; i < steps; i++) {
      const number = drawnGroup(groups, dice);
      const [group, tally] = [groups[number], tallies[number]];
      if (group !== undefined && tally !== undefined) step(group, tally, dice);
    }
  }
  const claims = groups.some(({ changed }) => changed) ? improvedClaims(made, groups) : undefined;
  return claims === undefined ? made : { ...made, claims };
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

function step(group: BinGroup, tally: HostTally, dice: Dice): void {
  const first = wasteful(group.bins, dice);
  if (first === undefined) return;
  const isExchange = dice.below(exchangesPerRepacking + 1) > 0;
  const old = isExchange ? [first, ...partnerOf(first, group, dice)] : laneBins(group, first, dice);
  const [, second] = old;
  if (isExchange && second === undefined) return;
  const found =
    isExchange && second !== undefined ? exchanged(first, second, tally, dice) : repacked(first.lane, old, tally, dice);
  if (found === undefined || !isWithinLimits(old, found)) return;
  const { bins } = group;
  for (const bin of old) bins.splice(bins.indexOf(bin), 1);
  bins.push(...found);
  group.changed = true;
}

/** A group with many bins is drawn more often. */
function drawnGroup(groups: readonly BinGroup[], dice: Dice): number {
  let at = dice.below(groups.reduce((sum, { bins }) => sum + bins.length, 0));
  return groups.findIndex(({ bins }) => {
    at -= bins.length;
    return at < 0;
  });
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
function partnerOf(first: Bin, { bins }: BinGroup, dice: Dice): readonly Bin[] {
  const anyLane = dice.below(4) === 0;
  for (let i = 0; i < draws; i++) {
    const bin = bins[dice.below(bins.length)];
    if (bin !== undefined && bin !== first && (anyLane || bin.lane === first.lane)) return [bin];
  }
  return [];
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
function isWithinLimits(before: readonly Bin[], after: readonly Bin[]): boolean {
  const { limits, index } = before[0]?.lane.sample.pool ?? {};
  if (limits === undefined || index === undefined) return false;
  return limits.none || limits.exchange(before.map(typesOf), after.map(typesOf), index);
}
