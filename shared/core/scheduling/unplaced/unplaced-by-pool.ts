/**
 * What keeps one NodePool from making a node for a pod; see unplaced.ts. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/nodeclaim.go, InstanceTypeFilterError. It differs: numbers are told.
 */

import { type CandidatePool, fittingTypes } from "../claims/candidate-pool.ts";
import { type Bitset, both, countOf, has, indicesOf, isEmpty } from "../instance-types/bitset.ts";
import type { Tolerance } from "../nodes/existing-node.ts";
import type { Ask } from "../pods/ask.ts";
import { minValuesShortages } from "../requirements/min-values.ts";
import type { RequirementSet, RequirementSets } from "../requirements/requirement-set.ts";
import { describeRequirement } from "../requirements/requirement-text.ts";
import { describeIncompatibility, firstIncompatibility } from "../requirements/requirements.ts";
import { describeTaint, firstUntolerated } from "../requirements/taints.ts";
import { describeAmount, describeResource } from "../resources/amount-text.ts";
import type { Dimensions, ResourceVector } from "../resources/resource-vector.ts";

/** How far an alternative came; the furthest one is the most useful to hear of. */
interface Obstacle {
  readonly rank: number;
  readonly text: string;
}

export function poolObstacle(
  pool: CandidatePool,
  step: Ask & { readonly tolerance: Tolerance },
  sets: RequirementSets,
  dimensions: Dimensions,
): string {
  const taint = firstUntolerated(pool.taints, step.tolerance.tolerations);
  if (taint !== undefined) return `the pod does not tolerate its taint ${describeTaint(taint)}`;
  const obstacles = step.alternatives.map((alternative) =>
    alternativeObstacle(pool, alternative, step, sets, dimensions),
  );
  const furthest = obstacles.sort((a, b) => b.rank - a.rank)[0];
  return furthest?.text ?? "nothing to choose from";
}

function alternativeObstacle(
  pool: CandidatePool,
  alternative: RequirementSet,
  step: Ask,
  sets: RequirementSets,
  dimensions: Dimensions,
): Obstacle {
  const { index } = pool;
  const set = sets.narrow(pool.base, alternative);
  if (set === undefined) {
    const conflict = firstIncompatibility(pool.base.requirements, alternative.requirements, (key) =>
      sets.mayBeUndefined(key),
    );
    return {
      rank: 0,
      text: conflict === undefined ? "requirements conflict" : `the pod ${describeIncompatibility(conflict)}`,
    };
  }
  const compatible = index.compatible(set);
  if (isEmpty(compatible)) return { rank: 1, text: noSuchType(pool, set) };
  const fitting = fittingTypes(pool, compatible, step.requests, step.hostPorts);
  if (isEmpty(fitting)) return { rank: 2, text: noRoom(pool, compatible, step, dimensions) };
  const launchable = both(fitting, index.offering(set));
  if (isEmpty(launchable)) {
    return {
      rank: 3,
      text: `${countOf(fitting)} instance types fit, but none has an available offering${whichOfferings(set)}`,
    };
  }
  const allowed = launchable.slice();
  pool.limits.keepAllowed(allowed, index);
  if (isEmpty(allowed)) return { rank: 4, text: overLimit(pool, launchable) };
  const [shortage] = minValuesShortages(set, allowed, index);
  if (shortage === undefined) return { rank: 6, text: hadAnyway(pool, set, allowed) };
  const text = `minValues of ${shortage.key} wants ${shortage.wanted} different values, ${shortage.found} are left`;
  return { rank: 5, text };
}

/** Nothing that concerns this pool alone: what the rules between pods leave is told before. */
function hadAnyway({ index }: CandidatePool, set: RequirementSet, types: Bitset): string {
  const cheapest = index.priceOrder(set).find((type) => has(types, type));
  const name = cheapest === undefined ? "" : ` (the cheapest is ${index.types[cheapest]?.name})`;
  return `${countOf(types)} instance types${name} would do, but the rules between pods leave no new node for it`;
}

function noSuchType(pool: CandidatePool, set: RequirementSet): string {
  const { index } = pool;
  const all = index.compatible(pool.base);
  if (isEmpty(all)) return `none of ${index.types.length} instance types meets the pool's own requirements`;
  const alone = [...set.requirements.values()]
    .filter((requirement) => isEmpty(both(all, index.meeting(requirement))))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const [first] = alone;
  const rule = first === undefined ? "all that the pod and the pool require together" : describeRequirement(first);
  return `none of its ${countOf(all)} instance types has ${rule}`;
}

/** The first resource wanted of which none of the types has any. */
function nowhereHad({ index }: CandidatePool, types: Bitset, step: Ask, { names }: Dimensions): string | undefined {
  const isHad = (d: number): boolean => indicesOf(types).some((type) => (index.allocatable[type]?.[d] ?? 0) > 0);
  const unknown = names.findIndex((_, d) => (step.requests[d] ?? 0) > 0 && !isHad(d));
  const name = names[unknown];
  if (name === undefined) return undefined;
  const wanted = `${describeResource(name)} ${describeAmount(name, step.requests[unknown] ?? 0)} is wanted`;
  return `${wanted}, and none of ${countOf(types)} instance types has any`;
}

/** The type that comes closest, and the resource that it lacks most of. */
function noRoom(pool: CandidatePool, types: Bitset, step: Ask, dimensions: Dimensions): string {
  const { index } = pool;
  let best: { readonly share: number; readonly text: string } | undefined;
  for (const group of pool.groups) {
    for (const type of indicesOf(both(types, group.types))) {
      const lack = worstLack(index.allocatable[type], group.overhead, step.requests);
      if (lack === undefined || (best !== undefined && best.share <= lack.share)) continue;
      const name = dimensions.names[lack.dimension] ?? "";
      const overhead = group.overhead[lack.dimension] ?? 0;
      const besides = overhead > 0 ? ` beside ${describeAmount(name, overhead)} for daemons` : "";
      const text =
        `${describeResource(name)} ${describeAmount(name, step.requests[lack.dimension] ?? 0)} is wanted, the closest of ${countOf(types)} ` +
        `instance types (${index.types[type]?.name}) has room for ${describeAmount(name, lack.free)}${besides}: ` +
        `${describeAmount(name, lack.missing)} short`;
      best = { share: lack.share, text };
    }
  }
  return (
    nowhereHad(pool, types, step, dimensions) ??
    best?.text ??
    "a DaemonSet of every instance type holds the pod's host port"
  );
}

interface Lack {
  readonly dimension: number;
  readonly free: number;
  readonly missing: number;
  /** Missing part of what is wanted. */
  readonly share: number;
}

function worstLack(
  allocatable: ResourceVector | undefined,
  overhead: ResourceVector,
  requests: ResourceVector,
): Lack | undefined {
  let worst: Lack | undefined;
  for (let d = 0; d < requests.length; d++) {
    const wanted = requests[d] ?? 0;
    const free = Math.max(0, (allocatable?.[d] ?? 0) - (overhead[d] ?? 0));
    if (wanted <= free) continue;
    const share = (wanted - free) / wanted;
    if (worst === undefined || share > worst.share) worst = { dimension: d, free, missing: wanted - free, share };
  }
  return worst;
}

function whichOfferings(set: RequirementSet): string {
  const asked = ["karpenter.sh/capacity-type", "topology.kubernetes.io/zone"].flatMap((key) => {
    const requirement = set.requirements.get(key);
    return requirement === undefined ? [] : [describeRequirement(requirement)];
  });
  return asked.length === 0 ? "" : ` with ${asked.join(", ")}`;
}

function overLimit(pool: CandidatePool, types: Bitset): string {
  const parts = Object.entries(pool.limits.limits)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, limit]) => {
      const left = pool.limits.remaining(name) ?? 0;
      const smallest = name === "nodes" ? 1 : smallestCapacity(pool, types, name);
      if (smallest <= left) return [];
      const room = `${describeAmount(name, Math.max(0, left))} of ${describeAmount(name, limit)} left`;
      return [`${name} (${room}, the smallest fitting type takes ${describeAmount(name, smallest)})`];
    });
  const rule = parts.length === 0 ? "no fitting type is within all limits together" : parts.join(", ");
  return `its limit is reached: ${rule}`;
}

function smallestCapacity(pool: CandidatePool, types: Bitset, name: string): number {
  return Math.min(...indicesOf(types).map((type) => pool.index.types[type]?.capacity[name] ?? 0));
}
