/**
 * Places a problem's pods in several ways and keeps the cheapest that is as good otherwise. Karpenter counterpart: none; it
 * has one way, whose cost varies from run to run with the order of maps.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import { type Attempt, attempt } from "./attempt.ts";
import type { ClaimInWork } from "./claim-in-work.ts";
import { type Breadth, breadthOf, enoughFor } from "./flexibility.ts";
import { nodeChargePerHour } from "./node-charge.ts";
import type { PreparedProblem } from "./prepared-problem.ts";
import { karpentersDraws, roundsFor, type Strategy, standard, variations } from "./strategy.ts";

/** Differences of price below this are roundings. */
const priceTolerance = 1e-9;

/** When so many strategies in a row find the same price, the others are not tried. */
const alikeMax = 4;

interface Tried {
  readonly strategy: Strategy;
  readonly made: Attempt;
  readonly price: number;
}

export function bestAttempt(prepared: PreparedProblem): Attempt {
  const rounds = roundsFor(prepared.problem.pods.length);
  if (rounds === undefined || prepared.pools.length === 0) return inOneWay(prepared);
  const draws = karpentersDraws.slice(0, rounds.draws);
  const first = triedOf(prepared, draws[0] ?? standard);
  if (first.made.claims.length === 0) return first.made;
  const tried = [first, ...draws.slice(1).map((strategy) => triedOf(prepared, strategy))];
  const yardstick = new Yardstick(tried.map(({ made }) => made));
  let last = tried.at(-1)?.strategy ?? first.strategy;
  let alike = 0;
  for (const strategy of variations.slice(0, rounds.variations)) {
    if (alike === alikeMax) break;
    last = strategy;
    const next = triedOf(prepared, strategy);
    alike = tried.some(({ price }) => Math.abs(price - next.price) <= priceTolerance) ? alike + 1 : 0;
    tried.push(next);
  }
  const best = bestOf(tried.filter(({ made }) => yardstick.admits(made))) ?? first;
  // The reasons of what is left are told by the counts and limits of the attempt that was kept.
  return last === best.strategy ? best.made : attempt(prepared, best.strategy);
}

function triedOf(prepared: PreparedProblem, strategy: Strategy): Tried {
  const made = attempt(prepared, strategy);
  return { strategy, made, price: priceOf(made) };
}

/**
 * Of those that place the most pods and are no dearer than Karpenter's way the cheapest, a charge for each node included;
 * the first of equal ones.
 */
function bestOf(tried: readonly Tried[]): Tried | undefined {
  const most = Math.max(...tried.map(({ made }) => placedOf(made)));
  const kept = tried.filter(({ made }) => placedOf(made) === most);
  const lowest = Math.min(...kept.map(({ price }) => price));
  const karpenterPrices = kept.flatMap(({ strategy, price }) => (isKarpenters(strategy) ? price : []));
  const dearest = Math.max(lowest, Math.min(...karpenterPrices));
  const close = kept.filter(({ price }) => price <= dearest + priceTolerance);
  return close.reduce<Tried | undefined>(
    (best, one) => (best === undefined || costOf(one.made) < costOf(best.made) - priceTolerance ? one : best),
    undefined,
  );
}

/** When pods are left, they shall be those that Karpenter's order leaves, or fewer. */
function inOneWay(prepared: PreparedProblem): Attempt {
  const first = attempt(prepared, standard);
  if (placedOf(first) === prepared.problem.pods.length) return first;
  const inOrder: Strategy = { ...standard, hostsFirst: false, tiedFirst: false };
  const second = attempt(prepared, inOrder);
  const isBetter = placedOf(first) > placedOf(second) && placesAll(first, second);
  return isBetter ? attempt(prepared, standard) : second;
}

function isKarpenters(strategy: Strategy): boolean {
  return karpentersDraws.includes(strategy);
}

/** The price with a charge for each node. */
function costOf(made: Attempt): number {
  return priceOf(made) + made.claims.length * nodeChargePerHour;
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

/**
 * Karpenter's way, in several draws: what all of them place must be placed, and no claim may be narrower than the ones that
 * one of them makes for the same pods.
 */
class Yardstick {
  readonly #draws: readonly Attempt[];
  readonly #breadths: readonly ReadonlyMap<Pod, Breadth>[];

  constructor(draws: readonly Attempt[]) {
    this.#draws = draws;
    this.#breadths = draws.map(({ claims }) => {
      return new Map(
        claims.flatMap((claim) => {
          const own = breadthOf(claim);
          return claim.pods.map((pod) => [pod, own] as const);
        }),
      );
    });
  }

  admits(next: Attempt): boolean {
    return (
      this.#placesWhatAllPlace(next) &&
      this.#breadths.some((breadths) => next.claims.every((claim) => isBroadEnough(claim, breadths)))
    );
  }

  #placesWhatAllPlace(next: Attempt): boolean {
    const left = next.classes.flatMap(({ waiting }) => waiting);
    return left.every((pod) => this.#draws.some(({ classes }) => classes.some(({ waiting }) => waiting.includes(pod))));
  }
}

function isBroadEnough(claim: ClaimInWork, breadths: ReadonlyMap<Pod, Breadth>): boolean {
  const known = claim.pods.flatMap((pod) => breadths.get(pod) ?? []);
  if (known.length === 0) return true;
  const own = breadthOf(claim);
  const types = Math.min(enoughFor(claim), ...known.map((one) => one.types));
  return own.types >= types && own.zones >= Math.min(...known.map(({ zones }) => zones));
}
