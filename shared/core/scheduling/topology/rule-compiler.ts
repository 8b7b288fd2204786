/**
 * Ties the rules of a class to the counts that they ask. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/topology.go, newForTopologies and newForAffinities, once a pod.
 */
import { type ClassRules, countsItself, hasChecks, type KeyChecks } from "./class-rules.ts";
import type { DomainCounts } from "./domain-counts.ts";
import type { NearCheck } from "./pod-affinity.ts";
import type { ApartCheck } from "./pod-anti-affinity.ts";
import type { NearRule, PodRules, SpreadRule } from "./pod-rules.ts";
import type { PodIdentity } from "./pod-selector.ts";
import type { FilterOwner, TopologyGroups } from "./topology-groups.ts";
import type { TopologyKey } from "./topology-key.ts";
import type { SpreadCheck } from "./topology-spread.ts";

/** What rules between pods need to know of their owner. */
export interface RuleOwner extends FilterOwner {
  readonly identity: PodIdentity;
  /** Domains in which NodePools could make nodes for it. */
  readonly possible: (key: TopologyKey) => readonly number[];
}

/** `repelledBy`: counts of pods that keep the class away. */
export function compiledRules(
  rules: PodRules,
  owner: RuleOwner,
  repelledBy: readonly DomainCounts[],
  groups: TopologyGroups,
): ClassRules {
  const spreads = rules.spreads.map((rule) => spreadCheck(rule, rules, owner, groups));
  const nears = rules.affinities.map((rule) => nearCheck(rule, rules, owner, groups));
  const aparts = [
    ...rules.antiAffinities.map((rule) => apartCheck(groups.ofNear(rule), owner, false)),
    ...repelledBy.map((counts) => apartCheck(counts, owner, true)),
  ];
  const checksOf = (isOf: (key: TopologyKey) => boolean) => ({
    spreads: spreads.filter(({ counts }) => isOf(counts.key)),
    nears: nears.filter(({ counts }) => isOf(counts.key)),
    aparts: aparts.filter(({ counts }) => isOf(counts.key)),
  });
  const byKey = groups.keys.list
    .map(({ index }): KeyChecks => {
      const checks = checksOf((key) => key.index === index);
      return { index, ...checks, settles: checks.spreads.length + checks.nears.length > 0 };
    })
    .filter(hasChecks);
  const onHost = checksOf(({ index }) => index < 0);
  const oneByOne = byKey.some(countsItself);
  return { byKey, onHost, hostText: hostTextOf(onHost), oneByOne, none: byKey.length === 0 && !hasChecks(onHost) };
}

/** The smallest count over hosts is 0 where claims can be made, so only the host's own counts matter. */
function hostTextOf({ spreads, nears, aparts }: ClassRules["onHost"]): string | undefined {
  if (nears.length > 0 || spreads.length + aparts.length === 0) return undefined;
  return [
    ...spreads.map(({ counts, maxSkew, self }) => `${counts.id} ${maxSkew - self}`),
    ...aparts.map(({ counts }) => `${counts.id} -1`),
  ]
    .sort()
    .join();
}

function spreadCheck(rule: SpreadRule, rules: PodRules, owner: RuleOwner, groups: TopologyGroups): SpreadCheck {
  const counts = groups.ofSpread(rule, rules, owner);
  const possible = counts.key.index < 0 ? [] : owner.possible(counts.key);
  counts.askedBySpread(possible);
  return {
    counts,
    maxSkew: rule.maxSkew,
    minDomains: rule.minDomains,
    self: rule.selector.selects(owner.identity) ? 1 : 0,
    possible,
    follows: rules.affinities.length > 0,
    fewest: 0,
  };
}

function nearCheck(rule: NearRule, { affinities }: PodRules, owner: RuleOwner, groups: TopologyGroups): NearCheck {
  return {
    counts: groups.ofNear(rule),
    company: affinities.filter(({ selector }) => selector === rule.selector).map((one) => groups.ofNear(one)),
    self: rule.selector.selects(owner.identity),
  };
}

function apartCheck(counts: DomainCounts, { identity }: RuleOwner, inverse: boolean): ApartCheck {
  return { counts, self: !inverse && counts.selector.selects(identity), inverse };
}
