/**
 * What an amount of each resource is worth on the machines that claims may become: prices of cpu and memory under which
 * no machine is worth more than it costs. Karpenter counterpart: none; it keeps the packing that it finds first.
 */
import type { LaunchProfile } from "../instance-types/launch-profile.ts";
import { nodeChargePerHour } from "../instance-types/node-charge.ts";
import type { ResourceVector } from "../resources/resource-vector.ts";

/** Mixtures of the two resources that are tried. */
const mixtures = 32;

/**
 * Dollars per hour for a unit of each dimension; those for which `demand` is worth the most. What is worth w cannot be had for
 * less than w.
 */
export function worthsOf(profile: LaunchProfile, demand: ResourceVector): Float64Array {
  let best = new Float64Array(demand.length);
  let most = -1;
  const [first, second] = mainDimensions(profile, demand);
  for (let i = 0; i <= mixtures; i++) {
    const worths = new Float64Array(demand.length);
    if (first !== undefined) worths[first] = i / mixtures / Math.max(1, demand[first] ?? 0);
    if (second !== undefined) worths[second] = (1 - i / mixtures) / Math.max(1, demand[second] ?? 0);
    scaleToPrices(worths, profile);
    const worth = dot(worths, demand);
    if (worth <= most || !Number.isFinite(worth)) continue;
    [best, most] = [worths, worth];
  }
  return best;
}

export function dot(a: ResourceVector, b: ResourceVector): number {
  let sum = 0;
  for (let d = 0; d < a.length; d++) sum += (a[d] ?? 0) * (b[d] ?? 0);
  return sum;
}

/** The two that take the largest share of a large machine. */
function mainDimensions({ most }: LaunchProfile, demand: ResourceVector): readonly number[] {
  const shares = [...demand].map((amount, d) => ({ d, share: amount / Math.max(1, most[d] ?? 0) }));
  return shares
    .sort((a, b) => b.share - a.share || a.d - b.d)
    .slice(0, 2)
    .map(({ d }) => d);
}

function scaleToPrices(worths: Float64Array, { rooms, prices }: LaunchProfile): void {
  let scale = Infinity;
  for (const [rank, room] of rooms.entries()) {
    const worth = dot(worths, room);
    if (worth > 0) scale = Math.min(scale, ((prices[rank] ?? 0) + nodeChargePerHour) / worth);
  }
  for (let d = 0; d < worths.length; d++) worths[d] = (worths[d] ?? 0) * scale;
}
