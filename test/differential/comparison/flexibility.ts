/** How much a claim leaves open, and how much it must. */
import type { Pod } from "#api/core-v1/pod.ts";
import type { SettledClaim } from "../checker/settled-claim.ts";

/** So many types keep a launch from depending on one pool of capacity; more is good and not demanded. */
const enoughSpotTypes = 15;
const enoughOnDemandTypes = 5;

interface Breadth {
  readonly types: number;
  readonly zones: number;
}

/**
 * The first claim that is narrower than it may be; undefined when none is. Which of several pods that are written alike is
 * in which claim does not matter: they are paired by breadth. `kindOf`: equal for such pods.
 */
export function narrowClaim(
  ours: readonly SettledClaim[],
  theirs: readonly SettledClaim[],
  kindOf: (pod: Pod) => string,
): string | undefined {
  const known = byKind(theirs, kindOf);
  const wanted = new Map<SettledClaim, Breadth>();
  for (const [kind, places] of byKind(ours, kindOf)) {
    for (const [i, { claim }] of places.entries()) {
      const other = known.get(kind)?.[i];
      if (other === undefined) continue;
      const { types = other.own.types, zones = other.own.zones } = wanted.get(claim) ?? {};
      wanted.set(claim, { types: Math.min(types, other.own.types), zones: Math.min(zones, other.own.zones) });
    }
  }
  for (const [claim, { types, zones }] of wanted) {
    const own = breadth(claim);
    const enoughTypes = Math.min(enough(claim), types);
    if (own.types < enoughTypes) return `${claim.where} keeps ${own.types} types of at least ${enoughTypes}`;
    if (own.zones < zones) return `${claim.where} keeps ${own.zones} zones of at least ${zones}`;
  }
  return undefined;
}

interface BroadClaim {
  readonly claim: SettledClaim;
  readonly own: Breadth;
}

/** The claim of each pod of a kind, the broadest first. */
function byKind(
  claims: readonly SettledClaim[],
  kindOf: (pod: Pod) => string,
): ReadonlyMap<string, readonly BroadClaim[]> {
  const places = new Map<string, BroadClaim[]>();
  for (const claim of claims) {
    const own = breadth(claim);
    for (const pod of claim.pods) {
      const kind = kindOf(pod);
      const list = places.get(kind) ?? [];
      places.set(kind, list);
      list.push({ claim, own });
    }
  }
  for (const list of places.values()) list.sort((a, b) => b.own.types - a.own.types || b.own.zones - a.own.zones);
  return places;
}

export function breadth({ machines }: SettledClaim): Breadth {
  return {
    types: new Set(machines.map(({ type }) => type)).size,
    zones: new Set(machines.map(({ zone }) => zone)).size,
  };
}

function enough({ machines }: SettledClaim): number {
  const cheapest = machines.reduce((a, b) => (b.price < a.price ? b : a));
  return cheapest.capacityType === "spot" ? enoughSpotTypes : enoughOnDemandTypes;
}
