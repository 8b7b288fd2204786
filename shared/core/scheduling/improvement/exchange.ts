/**
 * Moves pods between two claims, or lets them change places, where the two cost less afterwards. Karpenter counterpart: none; it keeps the packing that it finds first.
 */
import { addTo, type ResourceVector } from "../resources/resource-vector.ts";
import type { Bench } from "./bench.ts";
import { allowedBin, type Bin, cheapestRank, costAt, priceAt, roundings } from "./bin.ts";
import type { BinLane, Kind, Load } from "./bin-lane.ts";
import type { Dice } from "./dice.ts";
import type { HostTally } from "./host-rules.ts";
import { dot } from "./worths.ts";

/** Exchanges that are tried for one pair of claims. */
const triesMax = 12;
/** Instead of a type: no pod is left, so there is no claim. */
const gone = -2;

/** Better ones for the two, or the one that is left of them; undefined: none were found. */
export function exchanged(a: Bin, b: Bin, bench: Bench): readonly Bin[] | undefined {
  const { dice } = bench;
  for (let i = 0; i < triesMax; i++) {
    const given = drawn(a, b.lane, dice);
    const taken = dice.below(4) === 0 ? undefined : drawn(b, a.lane, dice);
    if (given === undefined || given.kind === taken?.kind) continue;
    const found = tried(a, b, given, 1 + dice.below(given.count), taken, bench);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The first one gives `less` pods for some others. Most exchanges are no better, so nothing is built to find that out. */
function tried(
  a: Bin,
  b: Bin,
  given: Load,
  less: number,
  taken: Load | undefined,
  bench: Bench,
): readonly Bin[] | undefined {
  const {
    dice,
    tally,
    vectors: [forA, forB],
  } = bench;
  const more = taken === undefined ? 0 : 1 + dice.below(taken.count);
  const rankOfB = rankAfter(b, forB, given.kind, less, taken?.kind, more);
  if (rankOfB === -1 || costAt(b.lane, rankOfB) > a.cost + b.cost) return undefined;
  const isEmptied = taken === undefined && a.loads.length === 1 && less === given.count;
  const rankOfA = isEmptied ? gone : rankAfter(a, forA, taken?.kind, more, given.kind, less);
  if (rankOfA === -1 || !isBetter(a, b, rankOfA, rankOfB, bench)) return undefined;
  const second = binAfter(b, rankOfB, forB, given.kind, less, taken?.kind, more, tally);
  if (second === undefined || isEmptied) return second === undefined ? undefined : [second];
  const first = binAfter(a, rankOfA, forA, taken?.kind, more, given.kind, less, tally);
  return first === undefined ? undefined : [first, second];
}

/** Pods of one kind; undefined: they may not go to that lane. */
function drawn({ loads, lane }: Bin, to: BinLane, dice: Dice): Load | undefined {
  const load = loads[dice.below(loads.length)];
  return load === undefined || (to !== lane && !load.kind.otherLanes.has(to)) ? undefined : load;
}

/** Of the cheapest type with room for the pods after some came and some went; -1: there is none. */
export function rankAfter(
  { lane, used }: Bin,
  after: ResourceVector,
  came: Kind | undefined,
  more: number,
  went: Kind | undefined,
  less: number,
): number {
  after.set(used);
  if (came !== undefined) addTo(after, came.step.requests, more);
  if (went !== undefined) addTo(after, went.step.requests, -less);
  return cheapestRank(lane, after);
}

/** Of the exchanges that win nothing and do not bring room together, one of so many is kept: another way may lead on. */
const sidewaysRarely = 8;

/**
 * Cheaper; or as cheap, when the room that is left comes together on one of the two: much room on one claim takes a pod
 * that makes a third one cheaper, a little on both takes none.
 */
function isBetter(a: Bin, b: Bin, rankOfA: number, rankOfB: number, { dice, vectors: [forA, forB] }: Bench): boolean {
  const isLeft = rankOfA !== gone;
  const price = (isLeft ? priceAt(a.lane, rankOfA) : 0) + priceAt(b.lane, rankOfB);
  if (price > a.price + b.price + roundings) return false;
  const saved = a.cost + b.cost - (isLeft ? costAt(a.lane, rankOfA) : 0) - costAt(b.lane, rankOfB);
  if (Math.abs(saved) > roundings) return saved > 0;
  const before = unevenness(roomLeft(a.lane, a.rank, a.used), roomLeft(b.lane, b.rank, b.used));
  const after = unevenness(isLeft ? roomLeft(a.lane, rankOfA, forA) : 0, roomLeft(b.lane, rankOfB, forB));
  return after > before || dice.below(sidewaysRarely) === 0;
}

/** Of two amounts whose sum stays the same. */
function unevenness(one: number, other: number): number {
  return one * one + other * other;
}

/** What may still come at the same price is worth no more. */
function roomLeft({ values, worths }: BinLane, rank: number, used: ResourceVector): number {
  return (values[rank] ?? 0) - dot(worths, used);
}

export function binAfter(
  { lane, loads }: Bin,
  rank: number,
  used: ResourceVector,
  came: Kind | undefined,
  more: number,
  went: Kind | undefined,
  less: number,
  tally: HostTally,
): Bin | undefined {
  const after: Load[] = [];
  let isKnown = came === undefined;
  for (const { kind, count } of loads) {
    const left = count + (kind === came ? more : 0) - (kind === went ? less : 0);
    if (left > 0) after.push({ kind, count: left });
    if (kind === came) isKnown = true;
  }
  if (came !== undefined && !isKnown) after.push({ kind: came, count: more });
  return allowedBin({ lane, loads: after, used: used.slice(), rank }, tally);
}
