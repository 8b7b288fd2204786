/** Karpenter counterpart: none, because it reads domains from requirements each time. */
/** Where a node is, or a claim can come to be, as far as rules between pods ask. */
import type { Taint } from "#api/core-v1/pod.ts";
import type { CandidatePool } from "../claims/candidate-pool.ts";
import type { RequirementSet } from "../requirements/requirement-set.ts";
import type { Requirements } from "../requirements/requirements.ts";

export interface Whereabouts {
  /** By index of the topology key: the possible domains; none when the label is missing for good. */
  readonly domains: readonly (readonly number[])[];
  /** What node filters look at. */
  readonly is:
    | { readonly kind: "labels"; readonly labels: Readonly<Record<string, string>> }
    | { readonly kind: "requirements"; readonly requirements: Requirements }
    | { readonly kind: "set"; readonly set: RequirementSet; readonly pool: CandidatePool };
  readonly taints: readonly Taint[];
  /** Answers of node filters, by their number. */
  readonly passes: Map<number, boolean>;
  /** Its domains are among the real ones of each count. */
  noted: boolean;
}

/** A node or claim, and its number among the hosts. */
export interface Place {
  readonly host: number;
  whereabouts: Whereabouts;
}
