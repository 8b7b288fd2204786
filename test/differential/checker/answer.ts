import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";

/** What is checked: claims to be made, pods on nodes that exist, pods without a place. Pods are `namespace/name`. */
export interface CheckedAnswer {
  readonly nodeClaims: readonly CheckedClaim[];
  readonly existingNodes: readonly { readonly name: string; readonly pods: readonly string[] }[];
  readonly podErrors: Readonly<Record<string, string>>;
}

export interface CheckedClaim {
  readonly nodePool: string;
  readonly requirements: readonly RequirementSpec[];
  readonly instanceTypes: readonly string[];
  readonly pods: readonly string[];
}

export const rules = [
  "accounting",
  "unknown-name",
  "instance-type",
  "offering",
  "pool-requirements",
  "node-affinity",
  "taints",
  "resources",
  "daemons",
  "host-ports",
  "volumes",
  "volume-limits",
  "limits",
  "min-values",
  "reservations",
  "truncation",
  "spread",
  "affinity",
  "anti-affinity",
] as const;
export type Rule = (typeof rules)[number];

/** One thing that is wrong, and whom it concerns. */
export interface Violation {
  readonly rule: Rule;
  /** Pods that would not run there; empty when only the claim says too much. */
  readonly pods: readonly string[];
  readonly where: string;
  readonly message: string;
}
