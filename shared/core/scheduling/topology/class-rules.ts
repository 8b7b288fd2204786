/** The rules between pods of one class at one step of relaxation, tied to the counts that they ask. */
import type { DomainCounts } from "./domain-counts.ts";

/** Karpenter counterpart: TopologyTypeSpread. */
export interface SpreadCheck {
  readonly counts: DomainCounts;
  readonly maxSkew: number;
  readonly minDomains: number;
  /** 1 when a pod of the class counts for its own spread. */
  readonly self: 0 | 1;
  /** Domains that NodePools could make for the class. None for the hostname: every claim is a new host. */
  readonly possible: readonly number[];
  /** The smallest count over all domains, as of the last `refresh`. */
  fewest: number;
}

/** Karpenter counterpart: TopologyTypePodAffinity. */
export interface NearCheck {
  readonly counts: DomainCounts;
  /** When all of these are empty, and the class selects itself, its first pod may start anywhere. */
  readonly company: readonly DomainCounts[];
  readonly self: boolean;
}

/** Karpenter counterpart: TopologyTypePodAntiAffinity, and its inverse, where the counted pods keep the class away. */
export interface ApartCheck {
  readonly counts: DomainCounts;
  /** The class must be alone of its kind. */
  readonly self: boolean;
  readonly inverse: boolean;
}

/** Checks of one key that is not the hostname. */
export interface KeyChecks {
  readonly index: number;
  readonly spreads: readonly SpreadCheck[];
  readonly nears: readonly NearCheck[];
  readonly aparts: readonly ApartCheck[];
  /** Where the pod comes to be must be settled: a spread or an affinity counts on it. */
  readonly settles: boolean;
}

export interface ClassRules {
  readonly byKey: readonly KeyChecks[];
  readonly onHost: Omit<KeyChecks, "index" | "settles">;
  /**
   * Equal for classes that the same hosts are closed to; undefined when a host can open again. Otherwise a host that is
   * closed to the class stays so, since pods are only added.
   */
  readonly hostText: string | undefined;
  /** More than one pod at a time would overlook what the one before changed. */
  readonly oneByOne: boolean;
  /** Nothing to check. */
  readonly none: boolean;
}

export const noChecks: ClassRules = {
  byKey: [],
  onHost: { spreads: [], nears: [], aparts: [] },
  hostText: undefined,
  oneByOne: false,
  none: true,
};
