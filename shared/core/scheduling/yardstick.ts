/**
 * Karpenter's way, drawn several times, as the measure of other plans. Karpenter counterpart: none; it has one way, whose
 * answer differs from run to run.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import type { Attempt } from "./attempt.ts";
import type { ClaimInWork } from "./claims/claim-in-work.ts";
import { type Breadth, breadthOf, broadestFirst, enoughFor } from "./instance-types/flexibility.ts";
import type { PreparedProblem } from "./prepared-problem.ts";

/** How many types and zones are left to the pods of each class, the broadest claims first. */
type BreadthsOfClasses = ReadonlyMap<number, readonly Breadth[]>;

/** What all draws place must be placed, and claims should not be narrower than the ones that they make for the same pods. */
export class Yardstick {
  readonly #draws: readonly Attempt[];
  readonly #classOf: ReadonlyMap<Pod, number>;
  readonly #breadths: readonly BreadthsOfClasses[];

  constructor(draws: readonly Attempt[], classes: PreparedProblem["classes"]) {
    this.#draws = draws;
    this.#classOf = new Map(classes.flatMap(({ podClass }, i) => podClass.pods.map((pod) => [pod, i] as const)));
    this.#breadths = draws.map(({ claims }) => {
      const places = this.#placesOf(claims);
      return new Map([...places].map(([number, own]) => [number, own.map(({ breadth }) => breadth)]));
    });
  }

  /** How many of the draws have no claim that is broader where it matters. */
  drawsMatchedBy(next: Attempt): number {
    const places = this.#placesOf(next.claims);
    return this.#breadths.filter((breadths) => isBroadEnough(next.claims, places, breadths)).length;
  }

  placesWhatAllPlace(next: Attempt): boolean {
    const left = next.classes.flatMap(({ waiting }) => waiting);
    return left.every((pod) => this.#draws.some(({ classes }) => classes.some(({ waiting }) => waiting.includes(pod))));
  }

  /** For each class the claims of its pods, one for each pod. */
  #placesOf(claims: readonly ClaimInWork[]): ReadonlyMap<number, readonly BroadClaim[]> {
    const places = new Map<number, BroadClaim[]>();
    for (const claim of claims) {
      const breadth = breadthOf(claim);
      for (const pod of claim.pods) {
        const number = this.#classOf.get(pod) ?? -1;
        const own = places.get(number) ?? [];
        places.set(number, own);
        own.push({ claim, breadth });
      }
    }
    for (const own of places.values()) own.sort((a, b) => broadestFirst(a.breadth, b.breadth));
    return places;
  }
}

interface BroadClaim {
  readonly claim: ClaimInWork;
  readonly breadth: Breadth;
}

function isBroadEnough(
  claims: readonly ClaimInWork[],
  places: ReadonlyMap<number, readonly BroadClaim[]>,
  breadths: BreadthsOfClasses,
): boolean {
  const asked = new Map<ClaimInWork, Breadth>();
  for (const [number, own] of places) {
    for (const [i, { claim }] of own.entries()) {
      const known = breadths.get(number)?.[i];
      if (known === undefined) continue;
      const before = asked.get(claim) ?? known;
      const [types, zones] = [Math.min(before.types, known.types), Math.min(before.zones, known.zones)];
      asked.set(claim, { types, zones });
    }
  }
  return claims.every((claim) => {
    const wanted = asked.get(claim);
    if (wanted === undefined) return true;
    const own = breadthOf(claim);
    return own.types >= Math.min(enoughFor(claim), wanted.types) && own.zones >= wanted.zones;
  });
}
