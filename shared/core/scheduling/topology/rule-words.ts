/**
 * Rules between pods as reasons: what each of them leaves open, with the counts that decide it. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/topology.go, topologyError. It differs: the counts are told.
 */
import type { ClassRules, KeyChecks } from "./class-rules.ts";
import { allowsDomain, refresh } from "./domain-check.ts";
import type { DomainCounts } from "./domain-counts.ts";
import type { NearCheck } from "./pod-affinity.ts";
import type { ApartCheck } from "./pod-anti-affinity.ts";
import type { TopologyKeys } from "./topology-key.ts";
import type { SpreadCheck } from "./topology-spread.ts";

/** More domains than this are counted, not named. */
const namedMax = 5;

/** One text for each rule that closes something to the class; none when all is open. */
export function rulesInWords(rules: ClassRules, keys: TopologyKeys): readonly string[] {
  if (rules.none) return [];
  refresh(rules, true);
  return [...rules.byKey.flatMap((checks) => keyInWords(checks, keys)), ...hostsInWords(rules.onHost)];
}

function keyInWords(checks: KeyChecks, keys: TopologyKeys): readonly string[] {
  const key = keys.list[checks.index];
  const name = key?.name ?? "";
  const domains = [...(key?.values.keys() ?? [])];
  const nameOf = (domain: number): string => key?.valueOf(domain) ?? "";
  const only = (part: Partial<KeyChecks>): readonly number[] => {
    const alone: KeyChecks = { ...checks, spreads: [], nears: [], aparts: [], ...part };
    return domains.filter((domain) => allowsDomain(alone, domain));
  };
  const told = (open: readonly number[], words: string): readonly string[] =>
    open.length === domains.length ? [] : [`${words}, which leaves ${listed(open.map(nameOf), "nothing")}`];
  return [
    ...checks.spreads.flatMap((check) => told(only({ spreads: [check] }), spreadInWords(check, name, domains, nameOf))),
    ...checks.nears.flatMap((check) => told(only({ nears: [check] }), nearInWords(check, name))),
    ...checks.aparts.flatMap((check) => told(only({ aparts: [check] }), apartInWords(check, name))),
  ];
}

function spreadInWords(
  { counts, maxSkew, minDomains, possible, fewest }: SpreadCheck,
  name: string,
  domains: readonly number[],
  nameOf: (domain: number) => string,
): string {
  const counted = domains.filter((domain) => possible.includes(domain) || counts.real.has(domain));
  const numbers = counted.map((domain) => `${nameOf(domain)}: ${counts.at(domain)}`);
  const least = counted.length < minDomains ? `, and ${minDomains} domains are wanted so the fewest counts as 0` : "";
  return (
    `its topology spread over ${name} allows a skew of ${maxSkew} between pods with ${counts.selector.words} ` +
    `(${listed(numbers, "no domain")}, fewest ${fewest}${least})`
  );
}

function nearInWords({ counts }: NearCheck, name: string): string {
  const there = counts.total === 0 ? "there are none" : `there are ${counts.total}${openWords(counts)}`;
  return `its pod affinity over ${name} wants pods with ${counts.selector.words} (${there})`;
}

function apartInWords({ counts, inverse }: ApartCheck, name: string): string {
  return inverse
    ? `${counts.total} pods keep pods with ${counts.selector.words} away over ${name}${openWords(counts)}`
    : `its pod anti-affinity over ${name} avoids ${counts.total} pods with ${counts.selector.words}${openWords(counts)}`;
}

function openWords({ unsettled }: DomainCounts): string {
  return unsettled === 0 ? "" : `, ${unsettled} of them on nodes whose domain is open`;
}

/** Every new node is a host of its own, so only affinity can close them all. */
function hostsInWords({ nears }: ClassRules["onHost"]): readonly string[] {
  return nears
    .filter(({ company, self }) => !self || company.some(({ total }) => total > 0))
    .map((check) => `${nearInWords(check, "kubernetes.io/hostname")}, so it can run only where they do`);
}

function listed(texts: readonly string[], none: string): string {
  if (texts.length === 0) return none;
  const shown = texts.slice(0, namedMax).join(", ");
  return texts.length > namedMax ? `${shown} and ${texts.length - namedMax} more` : shown;
}
