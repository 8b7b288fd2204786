/**
 * Places a problem's pods in several ways and keeps the cheapest that is as good otherwise. Karpenter counterpart: none; it
 * has one way, whose cost varies from run to run with the order of maps.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import { type Attempt, attempt } from "./attempt.ts";
import type { ClaimInWork } from "./claim-in-work.ts";
import { type Breadth, breadthOf, enoughFor } from "./flexibility.ts";
import type { PreparedProblem } from "./prepared-problem.ts";
import { karpenters, type Strategy, standard, variations, variationsFor } from "./strategy.ts";

/** Differences of price below this are roundings. */
const priceTolerance = 1e-9;

/** When so many strategies in a row find the same price, the others are not tried. */
const alikeMax = 4;

export function bestAttempt(prepared: PreparedProblem): Attempt {
  const pods = prepared.problem.pods.length;
  const more = variationsFor(pods);
  if (more === undefined || prepared.pools.length === 0) return attempt(prepared, standard);
  const first = attempt(prepared, karpenters);
  if (first.claims.length === 0) return first;
  const yardstick = new Yardstick(first);
  let [best, bestStrategy, bestPrice]: [Attempt, Strategy, number] = [first, karpenters, priceOf(first)];
  let last: Strategy = karpenters;
  let alike = 0;
  for (const strategy of [standard, ...variations.slice(0, more)]) {
    if (alike === alikeMax) break;
    last = strategy;
    const next = attempt(prepared, strategy);
    const price = priceOf(next);
    alike = Math.abs(price - bestPrice) <= priceTolerance ? alike + 1 : 0;
    const isBetter = price < bestPrice - priceTolerance || (placedOf(next) > placedOf(best) && placesAll(next, best));
    if (isBetter && yardstick.admits(next)) [best, bestStrategy, bestPrice] = [next, strategy, price];
  }
  // The reasons of what is left are told by the counts and limits of the attempt that was kept.
  return last === bestStrategy ? best : attempt(prepared, bestStrategy);
}

function priceOf({ claims }: Attempt): number {
  return claims.reduce((sum, { price }) => sum + price, 0);
}

function placedOf({ claims, nodes }: Attempt): number {
  return [...claims, ...nodes].reduce((sum, { pods }) => sum + pods.length, 0);
}

function placesAll(one: Attempt, other: Attempt): boolean {
  const left = new Set(one.classes.flatMap(({ waiting }) => waiting));
  return [...other.claims, ...other.nodes].every(({ pods }) => pods.every((pod) => !left.has(pod)));
}

/** Karpenter's way: what it places must be placed, and no claim may be narrower than the ones that it makes for the same pods. */
class Yardstick {
  readonly #attempt: Attempt;
  readonly #breadth = new Map<Pod, Breadth>();

  constructor(first: Attempt) {
    this.#attempt = first;
    for (const claim of first.claims) {
      const own = breadthOf(claim);
      for (const pod of claim.pods) this.#breadth.set(pod, own);
    }
  }

  admits(next: Attempt): boolean {
    return placesAll(next, this.#attempt) && next.claims.every((claim) => this.#isBroadEnough(claim));
  }

  #isBroadEnough(claim: ClaimInWork): boolean {
    const known = claim.pods.flatMap((pod) => this.#breadth.get(pod) ?? []);
    if (known.length === 0) return true;
    const own = breadthOf(claim);
    const types = Math.min(enoughFor(claim), ...known.map((one) => one.types));
    return own.types >= types && own.zones >= Math.min(...known.map(({ zones }) => zones));
  }
}
