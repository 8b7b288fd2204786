/**
 * Topology spread: a domain may have `maxSkew` pods more than the emptiest one. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/topologygroup.go, nextDomainTopologySpread. It differs: the emptiest is looked for
 * among the domains that kube-scheduler counts, each spread by its own minDomains; and where no claim can be made, hosts may
 * all have pods already (Karpenter takes 0).
 */
import type { DomainCounts } from "./domain-counts.ts";

export interface SpreadCheck {
  readonly counts: DomainCounts;
  readonly maxSkew: number;
  readonly minDomains: number;
  /** 1 when a pod of the class counts for its own spread. */
  readonly self: 0 | 1;
  /** Domains that NodePools could make for the class. None for the hostname: every claim is a new host. */
  readonly possible: readonly number[];
  /**
   * Its pods go only where others are already, so they come after those, and all that was placed before counts where it may
   * come to be. Other pods can be bound before pods whose domain is open, which then no longer matter to them.
   */
  readonly follows: boolean;
  /** The smallest count over all domains, as of the last `refresh`. */
  fewest: number;
}

/** More pods of the class that the spread allows in a domain while the others stay as they are; 0 or less: none. */
export function roomInSpread({ counts, maxSkew, self, fewest, follows }: SpreadCheck, domain: number): number {
  const left = maxSkew + fewest - (follows ? counts.mostAt(domain) : counts.at(domain));
  if (self === 1) return left;
  return left >= 0 ? Infinity : 0;
}

/** Over the domains that are there and those that could be made; 0 while there are fewer than minDomains. */
export function fewestOf({ counts, possible, minDomains }: SpreadCheck): number {
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

/** `newHosts`: claims may be made, so some host is or may come to be empty. */
export function fewestOnHosts({ counts, minDomains }: SpreadCheck, newHosts: boolean): number {
  if (newHosts || counts.real.size < minDomains || counts.real.size === 0) return 0;
  let fewest = Infinity;
  for (const host of counts.real) {
    fewest = Math.min(fewest, counts.at(host));
    if (fewest === 0) return 0;
  }
  return fewest;
}
