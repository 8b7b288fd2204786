/**
 * May a pod of a class go into a domain, or onto a host? The three rules between pods, one after the other. Karpenter
 * counterpart: pkg/controllers/provisioning/scheduling/topologygroup.go, Get. It differs: a yes or no for one domain,
 * nothing is narrowed. It is asked for every place that is looked at, so its loops go by number: an iterator is an object.
 */
import type { Checks, ClassRules, KeyChecks } from "./class-rules.ts";
import { isNear } from "./pod-affinity.ts";
import { isApart } from "./pod-anti-affinity.ts";
import { fewestOf, fewestOnHosts, roomInSpread } from "./topology-spread.ts";

/** Brings `fewest` of each spread up to date. `newHosts`: claims may be made. */
export function refresh(rules: ClassRules, newHosts: boolean): void {
  const { byKey, onHost } = rules;
  for (let i = 0; i < byKey.length; i++) {
    const spreads = byKey[i]?.spreads ?? [];
    if (spreads.length > 0) for (const check of spreads) check.fewest = fewestOf(check);
  }
  if (onHost.spreads.length > 0) for (const check of onHost.spreads) check.fewest = fewestOnHosts(check, newHosts);
}

export function allowsDomain({ spreads, nears, aparts }: Checks, domain: number): boolean {
  return areNear(nears, domain) && areApart(aparts, domain) && roomInSpreads(spreads, domain) > 0;
}

/** How many pods of the class one host can still take by the rules over hostnames. */
export function roomOnHost({ spreads, nears, aparts }: Checks, host: number): number {
  if (!areApart(aparts, host) || !areNear(nears, host)) return 0;
  const room = roomInSpreads(spreads, host);
  return room > 1 && aparts.length > 0 && aparts.some(({ self }) => self) ? 1 : room;
}

function areNear(nears: Checks["nears"], domain: number): boolean {
  for (let i = 0; i < nears.length; i++) {
    const check = nears[i];
    if (check !== undefined && !isNear(check, domain)) return false;
  }
  return true;
}

function areApart(aparts: Checks["aparts"], domain: number): boolean {
  for (let i = 0; i < aparts.length; i++) {
    const check = aparts[i];
    if (check !== undefined && !isApart(check, domain)) return false;
  }
  return true;
}

/** As many pods as all of them allow; 0: none. */
function roomInSpreads(spreads: Checks["spreads"], domain: number): number {
  let room = Infinity;
  for (let i = 0; i < spreads.length; i++) {
    const check = spreads[i];
    if (check !== undefined) room = Math.min(room, roomInSpread(check, domain));
  }
  return Math.max(0, room);
}

/** Pods of the spreads in a domain: the emptier one is taken first. */
export function loadOf({ spreads }: KeyChecks, domain: number): number {
  let load = 0;
  for (const { counts } of spreads) load += counts.at(domain);
  return load;
}
