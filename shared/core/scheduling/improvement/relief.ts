/**
 * Takes a claim down to a cheaper type: one of its pods goes to another claim that has room for it as it is, or changes
 * places with a smaller one there. Where `exchange.ts` draws what it tries, this looks at all such changes with some other
 * claims; with thousands of claims few draws would be any use. Karpenter counterpart: none; it keeps the packing that it
 * finds first.
 */
import type { Bench } from "./bench.ts";
import { type Bin, priceAt, roundings } from "./bin.ts";
import type { BinLane, Kind } from "./bin-lane.ts";
import type { Dice } from "./dice.ts";
import { binAfter, rankAfter } from "./exchange.ts";
import { dot } from "./worths.ts";

/** Other claims that are looked at. Most of them have too little room left, which is seen at once. */
const looksMost = 128;

export interface Relief {
  readonly old: readonly Bin[];
  readonly found: readonly Bin[];
}

/** Of so many drawn claims the one that is nearest to a cheaper type. */
const drawn = 3;

/** Undefined: none of the claims that were looked at helps. There is at least one. */
export function relieved(bins: readonly Bin[], bench: Bench): Relief | undefined {
  const a = nearest(bins, bench.dice);
  if (a === undefined) return undefined;
  const over = overOf(a);
  const start = bench.dice.below(bins.length);
  const looks = Math.min(looksMost, bins.length);
  for (let i = 0; i < looks; i++) {
    const b = bins[(start + i) % bins.length];
    if (b === undefined || b === a || roomLeft(b) < over) continue;
    const found = relievedBy(a, b, over, bench);
    if (found !== undefined) return { old: [a, b], found };
  }
  return undefined;
}

function nearest(bins: readonly Bin[], dice: Dice): Bin | undefined {
  let best: Bin | undefined;
  for (let i = 0; i < drawn; i++) {
    const bin = bins[dice.below(bins.length)];
    if (best === undefined || (bin !== undefined && overOf(bin) < overOf(best))) best = bin;
  }
  return best;
}

/** What goes must be worth so much, since what is left has to fit in the room of a cheaper type. */
function overOf({ lane, rank, worth }: Bin): number {
  return worth - (lane.valuesBelow[rank] ?? 0);
}

/** What may still come to it at the same price is worth no more. */
function roomLeft({ lane, rank, worth }: Bin): number {
  return (lane.values[rank] ?? 0) - worth + roundings;
}

function relievedBy(a: Bin, b: Bin, over: number, bench: Bench): readonly Bin[] | undefined {
  for (const { kind, count } of a.loads) {
    const isLast = count === 1 && a.loads.length === 1;
    if (isLast || !mayMove(kind, a, b) || worthIn(a.lane, kind) < over) continue;
    const found = relievedOf(kind, a, b, over, bench);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** By one pod of that kind, for nothing or for a pod of another. */
function relievedOf(given: Kind, a: Bin, b: Bin, over: number, bench: Bench): readonly Bin[] | undefined {
  const room = roomLeft(b);
  const worth = worthIn(a.lane, given);
  const found = worth <= room ? changed(a, b, given, undefined, bench) : undefined;
  if (found !== undefined) return found;
  for (const { kind: taken } of b.loads) {
    if (taken === given || !mayMove(taken, b, a)) continue;
    const less = worth - worthIn(a.lane, taken);
    const better = less < over || less > room ? undefined : changed(a, b, given, taken, bench);
    if (better !== undefined) return better;
  }
  return undefined;
}

function mayMove({ otherLanes }: Kind, from: Bin, to: Bin): boolean {
  return from.lane === to.lane || otherLanes.has(to.lane);
}

function worthIn(lane: BinLane, kind: Kind): number {
  const known = lane.worthOf.get(kind);
  if (known !== undefined) return known;
  const worth = dot(lane.worths, kind.step.requests);
  lane.worthOf.set(kind, worth);
  return worth;
}

/** The two after the change, if the first is cheaper and the second no dearer. */
function changed(
  a: Bin,
  b: Bin,
  given: Kind,
  taken: Kind | undefined,
  { tally, vectors: [forA, forB] }: Bench,
): readonly Bin[] | undefined {
  if (!isHeld(b, given, taken)) return undefined;
  const rank = rankAfter(a, forA, taken, 1, given, 1);
  if (rank < 0 || priceAt(a.lane, rank) >= a.price - roundings) return undefined;
  const rankOfB = rankAfter(b, forB, given, 1, taken, 1);
  if (rankOfB < 0) return undefined;
  const second = binAfter(b, rankOfB, forB, given, 1, taken, 1, tally);
  if (second === undefined || second.price > b.price + roundings) return undefined;
  const first = binAfter(a, rank, forA, taken, 1, given, 1, tally);
  return first === undefined ? undefined : [first, second];
}

/** The claim has room for the pod as it is, without the one that goes. */
function isHeld({ lane, rank, used }: Bin, came: Kind, went: Kind | undefined): boolean {
  const room = lane.profile.rooms[rank];
  const [more, less] = [came.step.requests, went?.step.requests];
  for (let d = 0; d < used.length; d++) {
    if ((used[d] ?? 0) + (more[d] ?? 0) - (less?.[d] ?? 0) > (room?.[d] ?? 0)) return false;
  }
  return true;
}
