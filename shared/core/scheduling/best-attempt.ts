/**
 * Places a problem's pods in several ways and keeps the cheapest that is as good otherwise. Karpenter counterpart: none; it
 * has one way, whose cost varies from run to run with the order of maps.
 */
import { type Attempt, attempt } from "./attempt.ts";
import { nodeChargePerHour } from "./instance-types/node-charge.ts";
import type { PreparedProblem } from "./prepared-problem.ts";
import { forMorePlaces, karpentersDraws, roundsFor, type Strategy, standard, variations } from "./strategy.ts";
import { Yardstick } from "./yardstick.ts";

/** Differences of price below this are roundings. */
const priceTolerance = 1e-9;

/** When so many strategies in a row find the same price, the others are not tried. */
const alikeMax = 4;

/** Nearly as broad as the broadest is broad enough to be chosen for its price. */
const broadShare = 0.75;

interface Tried {
  readonly strategy: Strategy;
  readonly made: Attempt;
  readonly price: number;
}

export function bestAttempt(prepared: PreparedProblem): Attempt {
  const withTerms = prepared.classes.some(({ stepsByTerm }) => stepsByTerm.length > 1);
  const rounds = roundsFor(prepared.problem.pods.length, withTerms);
  if (rounds === undefined || prepared.pools.length === 0 || prepared.problem.newNodes === false)
    return inOneWay(prepared, rounds !== undefined);
  const draws = karpentersDraws.slice(0, rounds.draws);
  const first = triedOf(prepared, draws[0] ?? standard);
  const isEasy = first.made.claims.length === 0 && placedOf(first.made) === prepared.problem.pods.length;
  if (isEasy) return first.made;
  const tried = [first, ...draws.slice(1).map((strategy) => triedOf(prepared, strategy))];
  const yardstick = new Yardstick(
    tried.map(({ made }) => made),
    prepared.classes,
  );
  let alike = 0;
  for (const strategy of variations.slice(0, rounds.variations)) {
    if (alike === alikeMax) break;
    const next = triedOf(prepared, strategy);
    alike = tried.some(({ price }) => Math.abs(price - next.price) <= priceTolerance) ? alike + 1 : 0;
    tried.push(next);
  }
  const isLeft = tried.every(({ made }) => placedOf(made) < prepared.problem.pods.length);
  if (isLeft) tried.push(...forMorePlaces.map((strategy) => triedOf(prepared, strategy)));
  const best = bestOf(tried, yardstick) ?? first;
  // The reasons of what is left are told by the counts and limits of the attempt that was kept.
  return tried.at(-1) === best ? best.made : attempt(prepared, best.strategy);
}

function triedOf(prepared: PreparedProblem, strategy: Strategy): Tried {
  const made = attempt(prepared, strategy);
  return { strategy, made, price: priceOf(made) };
}

/**
 * Of those that place the most pods and are no dearer than Karpenter's way the broadest, of these the cheapest, a charge
 * for each node included; the first of equal ones.
 */
function bestOf(tried: readonly Tried[], yardstick: Yardstick): Tried | undefined {
  const able = tried.filter(({ made }) => yardstick.placesWhatAllPlace(made));
  const most = Math.max(...able.map(({ made }) => placedOf(made)));
  const kept = able.filter(({ made }) => placedOf(made) === most);
  const lowest = Math.min(...kept.map(({ price }) => price));
  const karpenterPrices = kept.flatMap(({ strategy, price }) => (isKarpenters(strategy) ? price : []));
  const dearest = karpenterPrices.length === 0 ? lowest : Math.min(...karpenterPrices);
  const close = kept.filter(({ price }) => price <= dearest + priceTolerance);
  const ranked = close.map((one) => ({ one, draws: yardstick.drawsMatchedBy(one.made), cost: costOf(one.made) }));
  const broadest = Math.max(...ranked.map(({ draws }) => draws));
  return ranked
    .filter(({ draws }) => draws >= broadest * broadShare)
    .reduce<(typeof ranked)[number] | undefined>(
      (best, next) => (best === undefined || next.cost < best.cost - priceTolerance ? next : best),
      undefined,
    )?.one;
}

/** When pods are left, they shall be those that Karpenter's order leaves, or fewer. `isSmall`: there is time to go by age. */
function inOneWay(prepared: PreparedProblem, isSmall: boolean): Attempt {
  const first = attempt(prepared, standard);
  if (placedOf(first) === prepared.problem.pods.length) return first;
  const inOrder: Strategy = { ...standard, hostsFirst: false, tiedFirst: false, podByPod: isSmall };
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
