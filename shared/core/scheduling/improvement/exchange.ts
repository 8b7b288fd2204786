/**
 * Moves pods between two claims, or lets them change places, where the two cost less afterwards. Karpenter counterpart: none; it keeps the packing that it finds first.
 */
import { addTo } from "../resource-vector.ts";
import { type Bin, binOf, isAllowed } from "./bin.ts";
import type { BinLane, Load } from "./bin-lane.ts";
import type { Dice } from "./dice.ts";
import type { HostTally } from "./host-rules.ts";

/** Exchanges that are tried for one pair of claims. */
const triesMax = 12;
const tolerance = 1e-9;

/** Better ones for the two, or the one that is left of them; undefined: none were found. */
export function exchanged(a: Bin, b: Bin, tally: HostTally, dice: Dice): readonly Bin[] | undefined {
  for (let i = 0; i < triesMax; i++) {
    const given = drawnPart(a, b.lane, dice);
    const taken = dice.below(4) === 0 ? undefined : drawnPart(b, a.lane, dice);
    if (given === undefined || given.kind === taken?.kind) continue;
    const first = changedBin(a, taken, given);
    const second = first === undefined ? undefined : changedBin(b, given, taken);
    if (first === undefined || second === undefined) continue;
    const bins = [first, second].filter(({ loads }) => loads.length > 0);
    if (isBetter([a, b], bins, dice) && bins.every((bin) => isAllowed(bin, tally))) return bins;
  }
  return undefined;
}

/** Some pods of one kind; undefined: they may not go to that lane. */
function drawnPart({ loads, lane }: Bin, to: BinLane, dice: Dice): Load | undefined {
  const load = loads[dice.below(loads.length)];
  if (load === undefined || (to !== lane && !load.kind.otherLanes.has(to))) return undefined;
  return { kind: load.kind, count: 1 + dice.below(load.count) };
}

function changedBin({ loads, used, lane }: Bin, more: Load | undefined, less: Load | undefined): Bin | undefined {
  const total = used.slice();
  if (more !== undefined) addTo(total, more.kind.step.requests, more.count);
  if (less !== undefined) addTo(total, less.kind.step.requests, -less.count);
  return binOf(changedLoads(loads, more, less), total, lane);
}

function changedLoads(loads: readonly Load[], more: Load | undefined, less: Load | undefined): readonly Load[] {
  const isKnown = more !== undefined && loads.some(({ kind }) => kind === more.kind);
  const changed = loads.flatMap(({ kind, count }) => {
    const left = count + (kind === more?.kind ? more.count : 0) - (kind === less?.kind ? less.count : 0);
    return left > 0 ? [{ kind, count: left }] : [];
  });
  return more === undefined || isKnown ? changed : [...changed, more];
}

/** Cheaper; or as cheap, every other time: from another arrangement another way may lead on. */
function isBetter(before: readonly Bin[], after: readonly Bin[], dice: Dice): boolean {
  if (sum(after, priceOf) > sum(before, priceOf) + tolerance) return false;
  const saved = sum(before, costOf) - sum(after, costOf);
  if (Math.abs(saved) > tolerance) return saved > 0;
  return dice.below(2) === 0;
}

function sum(bins: readonly Bin[], of: (bin: Bin) => number): number {
  return bins.reduce((total, bin) => total + of(bin), 0);
}

const priceOf = ({ price }: Bin): number => price;
const costOf = ({ cost }: Bin): number => cost;
