/**
 * Pod affinity: only where a pod that is meant is already. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/topologygroup.go, nextDomainAffinity. It differs: affinity starts anew only when
 * no pod that it means exists anywhere, as for kube-scheduler; Karpenter also does where the class cannot reach them, and
 * makes a node on which the pod never starts.
 */
import type { DomainCounts } from "./domain-counts.ts";

export interface NearCheck {
  readonly counts: DomainCounts;
  /** When all of these are empty, and the class selects itself, its first pod may start anywhere. */
  readonly company: readonly DomainCounts[];
  readonly self: boolean;
}

/** A pod whose domain is still open is not yet there. */
export function isNear({ counts, company, self }: NearCheck, domain: number): boolean {
  if (counts.at(domain) > 0) return true;
  return self && isFirst(company);
}

function isFirst(company: NearCheck["company"]): boolean {
  for (const { total } of company) if (total > 0) return false;
  return true;
}
