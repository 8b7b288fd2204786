import { draw } from "./seeded-draw.ts";

export interface Choosable {
  readonly instanceType: string;
  readonly zone: string;
  readonly pricePerHour: number;
}

/**
 * How fast a dearer pool loses weight: e^-8 for twice the cheapest price. EC2 documents the aim (deep pools first,
 * then the lowest price) and keeps the formula to itself.
 */
const priceSteepness = 8;
/** The shallowest pool has this share of the deepest one's weight. */
const leastDepth = 0.2;

/** On-demand `lowest-price`: the cheapest; ties by type and zone. Undefined for an empty list. */
export function cheapest<T extends Choosable>(options: readonly T[]): T | undefined {
  return [...options].sort(byPrice)[0];
}

/**
 * Spot `price-capacity-optimized`: by weight, of price and of how deep the pool seems (seeded), so that the cheapest
 * pool is likely and not certain. `question` names this launch.
 */
export function chooseSpotPool<T extends Choosable>(
  options: readonly T[],
  seed: number,
  question: string,
): T | undefined {
  const sorted = [...options].sort(byPrice);
  const lowest = sorted[0]?.pricePerHour ?? 0;
  const weights = sorted.map(({ instanceType, zone, pricePerHour }) => {
    const depth = leastDepth + (1 - leastDepth) * draw(seed, `depth ${instanceType} ${zone}`);
    return lowest <= 0 ? depth : depth * Math.exp(-priceSteepness * (pricePerHour / lowest - 1));
  });
  let left = draw(seed, question) * weights.reduce((sum, weight) => sum + weight, 0);
  const index = weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
  return sorted[index] ?? sorted[0];
}

function byPrice(a: Choosable, b: Choosable): number {
  if (a.pricePerHour !== b.pricePerHour) return a.pricePerHour - b.pricePerHour;
  if (a.instanceType !== b.instanceType) return a.instanceType < b.instanceType ? -1 : 1;
  return a.zone < b.zone ? -1 : a.zone > b.zone ? 1 : 0;
}
