/**
 * Which nodes count as domains of a spread. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/topologynodefilter.go. It differs: the filter with all its values is a part of
 * what makes two spreads one, and a node must carry every key of the pod's spreads, as for kube-scheduler.
 */
import type { Toleration } from "#api/core-v1/pod.ts";
import { allowsValue } from "../requirements/requirement.ts";
import type { RequirementSet, RequirementSets } from "../requirements/requirement-set.ts";
import { labelsMeet } from "../requirements/requirements.ts";
import { firstUntolerated } from "../requirements/taints.ts";
import type { PoolDomains } from "./pool-domains.ts";
import type { TopologyKey } from "./topology-key.ts";
import type { Whereabouts } from "./whereabouts.ts";

export interface NodeFilter {
  readonly id: number;
  /** One of them must be met; undefined: any node (nodeAffinityPolicy Ignore). */
  readonly alternatives: readonly RequirementSet[] | undefined;
  /** Undefined: any taints (nodeTaintsPolicy Ignore). */
  readonly tolerations: readonly Toleration[] | undefined;
  /** All must be there, hostname apart. */
  readonly keys: readonly TopologyKey[];
}

/** A claim passes when what it may become does. */
export function passes(filter: NodeFilter, where: Whereabouts, sets: RequirementSets): boolean {
  const known = where.passes.get(filter.id);
  if (known !== undefined) return known;
  const answer =
    filter.keys.every(({ index }) => (where.domains[index]?.length ?? 0) > 0) &&
    toleratesHard(filter, where) &&
    (filter.alternatives === undefined || filter.alternatives.some((set) => canMeet(where, set, sets)));
  where.passes.set(filter.id, answer);
  return answer;
}

/** A claim that passes may come to be in domains in which it would not: they are not asked for, or its types there do not pass. */
export function passingDomains(
  { alternatives }: NodeFilter,
  key: TopologyKey,
  { domains, is }: Whereabouts,
  sets: RequirementSets,
  ofPools: PoolDomains,
): readonly number[] {
  const own = domains[key.index] ?? [];
  if (alternatives === undefined) return own;
  if (is.kind !== "set") return own.filter((domain) => alternatives.some((set) => asksFor(set, key, domain)));
  const passing = alternatives.flatMap((alternative) => {
    const narrowed = sets.narrow(is.set, alternative);
    return narrowed === undefined ? [] : ofPools.of(is.pool, narrowed, key);
  });
  return own.filter((domain) => passing.includes(domain));
}

function asksFor({ requirements }: RequirementSet, key: TopologyKey, domain: number): boolean {
  const asked = requirements.get(key.name);
  return asked === undefined || allowsValue(asked, key.valueOf(domain));
}

function toleratesHard({ tolerations }: NodeFilter, { taints }: Whereabouts): boolean {
  if (tolerations === undefined) return true;
  const hard = taints.filter(({ effect }) => effect !== "PreferNoSchedule");
  return firstUntolerated(hard, tolerations) === undefined;
}

function canMeet({ is }: Whereabouts, set: RequirementSet, sets: RequirementSets): boolean {
  switch (is.kind) {
    case "labels":
      return labelsMeet(is.labels, set.requirements);
    case "requirements":
      return sets.isSureToMeet(is.requirements, set.requirements);
    case "set":
      return sets.narrow(is.set, set) !== undefined;
  }
}
