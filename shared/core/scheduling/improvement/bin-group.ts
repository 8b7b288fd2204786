/**
 * The claims of one NodePool as bins whose pods may be dealt anew. Those of one lane (claims/claim-lanes.ts) differ in nothing but
 * their load: a pod on one of them may be on any other, and no count between pods changes but those over hostnames. A pod
 * that no other count knows may change the lane too. Karpenter counterpart: none; it keeps the packing that it finds first.
 */
import type { CandidatePool } from "../claims/candidate-pool.ts";
import type { ClaimInWork } from "../claims/claim-in-work.ts";
import type { ClaimLane, PlacedClaim } from "../claims/claim-lanes.ts";
import { breadthOf } from "../instance-types/flexibility.ts";
import { nodeChargePerHour } from "../instance-types/node-charge.ts";
import type { Step } from "../pods/class-in-work.ts";
import { hasMinValues } from "../requirements/min-values.ts";
import type { RequirementSets } from "../requirements/requirement-set.ts";
import { addTo, type ResourceVector } from "../resources/resource-vector.ts";
import type { Membership } from "../topology/topology.ts";
import { type Bin, binOf, cheapestRank, roundings } from "./bin.ts";
import type { BinLane, Kind, Load } from "./bin-lane.ts";
import { HostCounts } from "./host-rules.ts";
import { dot, worthsOf } from "./worths.ts";

export interface BinGroup {
  readonly pool: CandidatePool;
  /** With so many bins the pool's limits are kept whatever they become; undefined: limits are near, so it matters. */
  readonly claimsMost: number | undefined;
  readonly hosts: HostCounts;
  /** What they are made of: these claims are replaced. */
  readonly claims: ReadonlySet<ClaimInWork>;
  readonly bins: Bin[];
  changed: boolean;
}

/** One group a NodePool, in the order of their first claims. Lanes with claims that must stay as they are are left out. */
export function binGroups(placed: readonly PlacedClaim[], sets: RequirementSets): readonly BinGroup[] {
  const byLane = grouped(placed, ({ lane }) => lane);
  const movable = [...byLane].filter(([, places]) => places.every(canMove));
  return [...grouped(movable, ([lane]) => lane.pool)].map(([pool, lanes]) => binGroup(pool, lanes, sets));
}

function demandOf(places: readonly PlacedClaim[]): ResourceVector {
  const demand: ResourceVector = new Float64Array(places[0]?.claim.requests.length ?? 0);
  for (const { claim } of places) addTo(demand, claim.requests, 1);
  return demand;
}

/** Nothing ties the pods to the very claim. */
function canMove({ claim, runs }: PlacedClaim): boolean {
  if (claim.held.size > 0 || claim.hostPorts.length > 0 || hasMinValues(claim.set)) return false;
  return runs.every(({ step }) => step.shared.length === 0 && step.rules.onHost.nears.length === 0);
}

function binGroup(
  pool: CandidatePool,
  lanes: readonly (readonly [ClaimLane, readonly PlacedClaim[]])[],
  sets: RequirementSets,
): BinGroup {
  const kinds = new Kinds();
  const bins = lanes.flatMap(([lane, places]) => {
    const made = binLane(lane, places);
    return made === undefined ? [] : places.map((place) => ({ made, place, loads: kinds.loadsOf(place) }));
  });
  const all = new Set(bins.map(({ made }) => made));
  for (const kind of kinds.all) if (kind.isFree) openLanes(kind, all, sets);
  const claimsMost = pool.limits.claimsOfAnyType(pool.index);
  return {
    pool,
    claimsMost: claimsMost < 2 * bins.length ? undefined : claimsMost,
    hosts: kinds.hosts,
    claims: new Set(bins.map(({ place }) => place.claim)),
    bins: bins.map(({ made, place: { claim }, loads }) =>
      binOf({ lane: made, loads, used: claim.requests, rank: cheapestRank(made, claim.requests) }),
    ),
    changed: false,
  };
}

function binLane(lane: ClaimLane, places: readonly PlacedClaim[]): BinLane | undefined {
  const [first] = places;
  if (first === undefined) return undefined;
  const worths = worthsOf(lane.profile, demandOf(places));
  const { profile } = lane;
  const values = Float64Array.from(profile.rooms, (room) => dot(worths, room));
  const forMoney = (rank: number): number => (values[rank] ?? 0) / ((profile.prices[rank] ?? 0) + nodeChargePerHour);
  const byValue = [...values.keys()].sort((a, b) => forMoney(b) - forMoney(a) || a - b);
  const valuesBelow = valuesOfCheaper(values, profile.prices);
  return {
    sample: first.claim,
    profile,
    worths,
    values,
    byValue,
    valuesBelow,
    worthOf: new Map(),
    breadthOfFull: [],
    enoughOf: [],
  };
}

/** Prices rise with the rank. */
function valuesOfCheaper(values: Float64Array, prices: ArrayLike<number>): Float64Array {
  let [most, before] = [0, 0];
  return values.map((_, rank) => {
    for (; before < rank && (prices[before] ?? 0) < (prices[rank] ?? 0) - roundings; before++) {
      most = Math.max(most, values[before] ?? 0);
    }
    return most;
  });
}

/** Those that need not change for it. */
function openLanes({ step, otherLanes }: Kind, all: ReadonlySet<BinLane>, sets: RequirementSets): void {
  for (const lane of all) {
    const { set } = lane.sample;
    if (step.alternatives.some((one) => sets.narrow(set, one) === set)) otherLanes.add(lane);
  }
}

class Kinds {
  readonly hosts = new HostCounts();
  readonly #byStep = new Map<Step, Kind>();

  get all(): readonly Kind[] {
    return [...this.#byStep.values()];
  }

  loadsOf({ claim, runs }: PlacedClaim): readonly Load[] {
    const breadth = breadthOf(claim);
    const counts = new Map<Kind, number>();
    let from = 0;
    for (const { step, membership, count } of runs) {
      const kind = this.#kindOf(step, membership);
      kind.types = Math.max(kind.types, breadth.types);
      kind.zones = Math.min(kind.zones, breadth.zones);
      kind.pods.push(...claim.pods.slice(from, from + count));
      from += count;
      counts.set(kind, (counts.get(kind) ?? 0) + count);
    }
    return [...counts].map(([kind, count]) => ({ kind, count }));
  }

  #kindOf(step: Step, membership: Membership): Kind {
    const known = this.#byStep.get(step);
    if (known !== undefined) return known;
    const others = [...membership.counts, ...membership.owns].some(({ key }) => key.index >= 0);
    const isFree = step.rules.byKey.length === 0 && !others;
    const host = this.hosts.rulesOf(step, membership);
    const made: Kind = { step, host, pods: [], isFree, otherLanes: new Set(), types: 0, zones: Infinity };
    this.#byStep.set(step, made);
    return made;
  }
}

function grouped<T, K>(items: readonly T[], keyOf: (item: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [item]);
    else known.push(item);
  }
  return groups;
}
