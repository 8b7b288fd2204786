/** Karpenter counterpart: none; it takes the first claim that can. */

import type { ClassRules } from "../topology/class-rules.ts";
import { roomOnHost } from "../topology/domain-check.ts";
import type { Fit } from "./claim-in-work.ts";
import type { PlacedClaim } from "./claim-lanes.ts";
import type { StepTurn } from "./step-turn.ts";

/** One way to place pods on a claim. */
export interface Slot {
  readonly place: PlacedClaim;
  readonly fit: Fit;
  /** By the rules over hostnames. */
  readonly limit: number;
  /** More per hour, for each pod that will use it. */
  readonly priceEach: number;
}

/** How many pods of the class at once the rules between pods allow on one host. */
export function limitOn(rules: ClassRules, host: number): number {
  if (rules.none) return Infinity;
  const room = roomOnHost(rules.onHost, host);
  return rules.oneByOne ? Math.min(1, room) : room;
}

/** Takes the cheapest for each pod out of the list; of equal ones the first. */
export function takeCheapest(slots: Slot[]): Slot | undefined {
  let best = 0;
  for (let i = 1; i < slots.length; i++) {
    if ((slots[i]?.priceEach ?? 0) < (slots[best]?.priceEach ?? 0)) best = i;
  }
  return slots.splice(best, 1)[0];
}

/** More per hour for each pod, on the best of this type and the next `ranksAhead` dearer ones. */
export function priceEach(
  { profile, rank, priceMore }: Fit,
  { claim }: PlacedClaim,
  turn: StepTurn,
  demand: number,
  ranksAhead: number,
): number {
  const { requests, shared } = turn.step;
  const now = (profile.prices[rank] ?? 0) - priceMore;
  // The type of that rank has room for one; only attachments that others share may be counted twice.
  if (demand === 1 && shared.length === 0) return (profile.prices[rank] ?? 0) - now;
  let best = Infinity;
  const last = Math.min(rank + ranksAhead, profile.prices.length - 1);
  for (let ahead = rank; ahead <= last; ahead++) {
    const times = profile.timesAt(ahead, claim.requests, requests, demand);
    if (times >= 1) best = Math.min(best, ((profile.prices[ahead] ?? 0) - now) / times);
    if (times >= demand) break;
  }
  return best;
}
