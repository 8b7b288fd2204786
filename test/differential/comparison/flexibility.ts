/** How much a claim leaves open, and how much it must. */
import { podName } from "../checker/claim-check.ts";
import type { SettledClaim } from "../checker/settled-claim.ts";

/** So many types keep a launch from depending on one pool of capacity; more is good and not demanded. */
const enoughSpotTypes = 15;
const enoughOnDemandTypes = 5;

interface Breadth {
  readonly types: number;
  readonly zones: number;
}

/** The first claim that is narrower than it may be; undefined when none is. */
export function narrowClaim(ours: readonly SettledClaim[], theirs: readonly SettledClaim[]): string | undefined {
  const breadthOf = new Map(
    theirs.flatMap((claim) => claim.pods.map((pod) => [podName(pod), breadth(claim)] as const)),
  );
  for (const claim of ours) {
    const known = claim.pods.flatMap((pod) => breadthOf.get(podName(pod)) ?? []);
    if (known.length === 0) continue;
    const own = breadth(claim);
    const wantedTypes = Math.min(enough(claim), ...known.map(({ types }) => types));
    const wantedZones = Math.min(...known.map(({ zones }) => zones));
    if (own.types < wantedTypes) return `${claim.where} keeps ${own.types} types of at least ${wantedTypes}`;
    if (own.zones < wantedZones) return `${claim.where} keeps ${own.zones} zones of at least ${wantedZones}`;
  }
  return undefined;
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
