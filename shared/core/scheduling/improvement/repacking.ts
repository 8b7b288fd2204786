/** Packs the pods of some claims of one lane anew. Karpenter counterpart: none; it keeps the packing that it finds first. */
import type { Bench } from "./bench.ts";
import { type Bin, roundings } from "./bin.ts";
import type { BinLane, Kind, Load } from "./bin-lane.ts";
import type { Dice } from "./dice.ts";
import { Packing, type PackingWay } from "./packing.ts";
import { dot } from "./worths.ts";

/** Machines that are tried for each claim. */
const machinesMost = 10;

/** Bins for all that is in `old`, cheaper ones; undefined: none were found. */
export function repacked(
  lane: BinLane,
  old: readonly Bin[],
  bench: Bench,
  way: PackingWay,
): readonly Bin[] | undefined {
  let priceLeft = roundings;
  let costLeft = -roundings;
  for (const { price, cost } of old) {
    priceLeft += price;
    costLeft += cost;
  }
  const bins: Bin[] = [];
  const packing = new Packing(lane, shakenOrder(lane, old, bench.dice), bench, way);
  // Each round places a pod. What is left costs no less than it is worth.
  while (!packing.isDone) {
    const bin = packing.worthLeft >= costLeft ? undefined : packing.next(machinesMost);
    if (bin === undefined) return undefined;
    priceLeft -= bin.price;
    costLeft -= bin.cost;
    bins.push(bin);
  }
  return costLeft > 0 && priceLeft >= 0 ? bins : undefined;
}

/** The kinds in one list, the worthiest first, shaken a little so that another try finds another packing. */
function shakenOrder({ worths }: BinLane, bins: readonly Bin[], dice: Dice): readonly Load[] {
  const counts = new Map<Kind, number>();
  for (const { loads } of bins) for (const { kind, count } of loads) counts.set(kind, (counts.get(kind) ?? 0) + count);
  const shake = dice.below(4) * 0.2;
  return [...counts]
    .map(([kind, count]) => ({
      kind,
      count,
      rank: dot(worths, kind.step.requests) * (1 + shake * (dice.share() - 0.5)),
    }))
    .sort((a, b) => b.rank - a.rank);
}
