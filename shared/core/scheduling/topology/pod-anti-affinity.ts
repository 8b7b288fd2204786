/**
 * Pod anti-affinity, and its inverse: pods that keep the class away. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/topologygroup.go, nextDomainAntiAffinity, and topology.go,
 * updateInverseAffinities. No difference in what is allowed; a claim whose domain is open blocks all that it may come to be
 * in, and is settled when somebody else needs one of them (placement.ts).
 */
import type { DomainCounts } from "./domain-counts.ts";

export interface ApartCheck {
  readonly counts: DomainCounts;
  /** Pods of the class keep each other away. */
  readonly self: boolean;
  /** The counted pods want it so, not the class. */
  readonly inverse: boolean;
}

export function isApart({ counts }: ApartCheck, domain: number): boolean {
  return counts.mostAt(domain) === 0;
}
