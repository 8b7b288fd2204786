/**
 * Karpenter counterpart: pkg/apis/v1/labels.go and the CEL rules on label keys. It differs: Karpenter's CRD compares the
 * end of the text, so it refuses `mykarpenter.sh/x` too; here a domain is restricted with its subdomains, as Karpenter's
 * own Go check has it.
 */
import { capacityTypeLabel, group, hostnameLabel, nodePoolLabel } from "./labels.ts";

/** "example.com" of "example.com/team"; "" of "team". */
export function labelDomain(key: string): string {
  const slash = key.indexOf("/");
  return slash < 0 ? "" : key.slice(0, slash);
}

/** The domain itself or a subdomain of it. */
export function isInDomain(key: string, domain: string): boolean {
  const own = labelDomain(key);
  return own === domain || own.endsWith(`.${domain}`);
}

/** Labels of karpenter.sh that somebody may set on a NodePool's template, or require there. */
const freeOnNodePools: ReadonlySet<string> = new Set([capacityTypeLabel]);
/** A NodeClaim also requires its NodePool. */
const freeOnNodeClaims: ReadonlySet<string> = new Set([capacityTypeLabel, nodePoolLabel]);

export function nodePoolLabelProblem(key: string): string | undefined {
  return restricted(key, freeOnNodePools);
}

export function nodeClaimLabelProblem(key: string): string | undefined {
  return restricted(key, freeOnNodeClaims);
}

function restricted(key: string, free: ReadonlySet<string>): string | undefined {
  if (key === hostnameLabel) return `must not be ${hostnameLabel}: each node gets its own`;
  if (!isInDomain(key, group) || free.has(key)) return undefined;
  return `must not be ${key}: of the domain ${group} only ${[...free].join(", ")} may be used here`;
}
