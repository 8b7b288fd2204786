/**
 * May a pod of a class go into a domain? Kubernetes' three rules between pods, one after the other. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/topologygroup.go, nextDomainTopologySpread, nextDomainAffinity and
 * nextDomainAntiAffinity. It differs: the minimum of a spread is taken over the domains that kube-scheduler counts, and
 * hosts may have a minimum above 0 where no new one can come; affinity starts anew only when no pod that
 * it means exists anywhere.
 */
import type { ApartCheck, ClassRules, KeyChecks, NearCheck, SpreadCheck } from "./class-rules.ts";

/** Brings `fewest` of each spread up to date. `newHosts`: claims may be made, so some host is or may come to be empty. */
export function refresh(rules: ClassRules, newHosts: boolean): void {
  for (const checks of rules.byKey) for (const check of checks.spreads) check.fewest = fewestOf(check);
  for (const check of rules.onHost.spreads) check.fewest = newHosts ? 0 : fewestOnHosts(check);
}

export function allowsDomain(checks: KeyChecks, domain: number): boolean {
  for (const check of checks.spreads) if (roomInSpread(check, domain) <= 0) return false;
  for (const check of checks.nears) if (!isNear(check, domain)) return false;
  for (const { counts } of checks.aparts) if (counts.mostAt(domain) > 0) return false;
  return true;
}

/** How many pods of the class one host can still take by the rules over hostnames. */
export function roomOnHost({ spreads, nears, aparts }: ClassRules["onHost"], host: number): number {
  let room = Infinity;
  for (const check of aparts) {
    if (check.counts.at(host) > 0) return 0;
    if (check.self) room = 1;
  }
  for (const check of nears) if (!isNear(check, host)) return 0;
  for (const check of spreads) {
    const left = roomInSpread(check, host);
    if (left <= 0) return 0;
    room = Math.min(room, left);
  }
  return room;
}

/** Pods of the spreads in a domain: the emptier one is taken first. */
export function loadOf({ spreads }: KeyChecks, domain: number): number {
  let load = 0;
  for (const { counts } of spreads) load += counts.at(domain);
  return load;
}

/** More pods that a spread allows there while the other domains stay as they are. */
function roomInSpread({ counts, maxSkew, self, fewest }: SpreadCheck, domain: number): number {
  const left = maxSkew + fewest - counts.at(domain);
  if (self === 1) return left;
  return left >= 0 ? Infinity : 0;
}

function isNear({ counts, company, self }: NearCheck, domain: number): boolean {
  if (counts.at(domain) > 0) return true;
  return self && isFirst(company);
}

function isFirst(company: NearCheck["company"]): boolean {
  for (const { total } of company) if (total > 0) return false;
  return true;
}

function fewestOf({ counts, possible, minDomains }: SpreadCheck): number {
  let fewest = Infinity;
  let domains = possible.length;
  for (const domain of possible) fewest = Math.min(fewest, counts.at(domain));
  for (const domain of counts.real) {
    if (possible.includes(domain)) continue;
    domains++;
    fewest = Math.min(fewest, counts.at(domain));
  }
  return domains < minDomains || domains === 0 ? 0 : fewest;
}

function fewestOnHosts({ counts, minDomains }: SpreadCheck): number {
  if (counts.real.size < minDomains || counts.real.size === 0) return 0;
  let fewest = Infinity;
  for (const host of counts.real) {
    fewest = Math.min(fewest, counts.at(host));
    if (fewest === 0) return 0;
  }
  return fewest;
}

export function hasChecks({ spreads, nears, aparts }: Pick<KeyChecks, "spreads" | "nears" | "aparts">): boolean {
  return spreads.length + nears.length + aparts.length > 0;
}

/** Pods of the class keep each other out of a domain or even it out. */
export function countsItself(checks: Pick<KeyChecks, "spreads" | "aparts">): boolean {
  return checks.spreads.some(({ self }) => self === 1) || checks.aparts.some((check: ApartCheck) => check.self);
}
