/**
 * May a pod of a class go into a domain, or onto a host? The three rules between pods, one after the other. Karpenter
 * counterpart: pkg/controllers/provisioning/scheduling/topologygroup.go, Get. It differs: a yes or no for one domain,
 * nothing is narrowed.
 */
import type { Checks, ClassRules, KeyChecks } from "./class-rules.ts";
import { isNear } from "./pod-affinity.ts";
import { isApart } from "./pod-anti-affinity.ts";
import { fewestOf, fewestOnHosts, roomInSpread } from "./topology-spread.ts";

/** Brings `fewest` of each spread up to date. `newHosts`: claims may be made. */
export function refresh(rules: ClassRules, newHosts: boolean): void {
  for (const checks of rules.byKey) for (const check of checks.spreads) check.fewest = fewestOf(check);
  for (const check of rules.onHost.spreads) check.fewest = fewestOnHosts(check, newHosts);
}

export function allowsDomain({ spreads, nears, aparts }: Checks, domain: number): boolean {
  for (const check of spreads) if (roomInSpread(check, domain) <= 0) return false;
  for (const check of nears) if (!isNear(check, domain)) return false;
  for (const check of aparts) if (!isApart(check, domain)) return false;
  return true;
}

/** How many pods of the class one host can still take by the rules over hostnames. */
export function roomOnHost({ spreads, nears, aparts }: Checks, host: number): number {
  let room = Infinity;
  for (const check of aparts) {
    if (!isApart(check, host)) return 0;
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
