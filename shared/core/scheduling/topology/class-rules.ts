/**
 * Karpenter counterpart: pkg/controllers/provisioning/scheduling/topology.go, getMatchingTopologies. It differs: found
 * once for all pods alike.
 */
/** The rules between pods of one class at one step of relaxation, tied to the counts that they ask. */
import type { NearCheck } from "./pod-affinity.ts";
import type { ApartCheck } from "./pod-anti-affinity.ts";
import type { TopologyKey } from "./topology-key.ts";
import type { SpreadCheck } from "./topology-spread.ts";

export interface Checks {
  readonly spreads: readonly SpreadCheck[];
  readonly nears: readonly NearCheck[];
  readonly aparts: readonly ApartCheck[];
}

/** Checks of one key that is not the hostname. */
export interface KeyChecks extends Checks {
  /** Of the topology key. */
  readonly index: number;
  /** Where the pod comes to be must be settled: a spread counts on it, or an affinity unless company is everywhere. */
  readonly settles: boolean;
}

export interface ClassRules {
  readonly byKey: readonly KeyChecks[];
  readonly onHost: Checks;
  /**
   * Equal for classes that the same hosts are closed to; undefined when a host can open again. Otherwise a host that is
   * closed to the class stays so, since pods are only added.
   */
  readonly hostText: string | undefined;
  /** More than one pod at a time would overlook what the one before changed. */
  readonly oneByOne: boolean;
  /** Nothing to check. */
  readonly none: boolean;
}

export const noChecks: ClassRules = {
  byKey: [],
  onHost: { spreads: [], nears: [], aparts: [] },
  hostText: undefined,
  oneByOne: false,
  none: true,
};

export function hasChecks({ spreads, nears, aparts }: Checks): boolean {
  return spreads.length + nears.length + aparts.length > 0;
}

/** Pods of the class keep each other out of a domain or even it out. */
export function countsItself({ spreads, aparts }: Checks): boolean {
  return spreads.some(({ self }) => self === 1) || aparts.some(({ self }) => self);
}

/** The same rules where nodes can be made in these domains only. */
export function withPossible(rules: ClassRules, possible: (key: TopologyKey) => readonly number[]): ClassRules {
  if (rules.byKey.every(({ spreads }) => spreads.length === 0)) return rules;
  const narrowed = (check: SpreadCheck): SpreadCheck => {
    const domains = possible(check.counts.key);
    check.counts.askedBySpread(domains);
    return { ...check, possible: domains };
  };
  return { ...rules, byKey: rules.byKey.map((checks) => ({ ...checks, spreads: checks.spreads.map(narrowed) })) };
}
