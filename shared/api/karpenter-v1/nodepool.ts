import type { Condition, KubeObject, ResourceList } from "../core-v1/meta.ts";
import type { Taint } from "../core-v1/pod.ts";
import type { RequirementSpec } from "./requirement.ts";

export interface NodeClassReference {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

export type DisruptionReason = "Underutilized" | "Empty" | "Drifted";
export type ConsolidationPolicy = "WhenEmpty" | "WhenEmptyOrUnderutilized" | "Balanced";

export interface Budget {
  /** A count ("5") or a percentage ("10%"); the percentage rounds up. */
  readonly nodes: string;
  /** Five-field cron or an @macro, in UTC. Set together with duration, or neither. */
  readonly schedule?: string;
  readonly duration?: string;
  /** Absent: every reason. An explicit empty list matches nothing. */
  readonly reasons?: readonly DisruptionReason[];
}

export interface NodeClaimTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly requirements: readonly RequirementSpec[];
    readonly nodeClassRef: NodeClassReference;
    readonly taints?: readonly Taint[];
    readonly startupTaints?: readonly Taint[];
    readonly terminationGracePeriod?: string;
    readonly expireAfter: string;
  };
}

/** A NodePool after defaulting: everything that the CRD's schema defaults is present. */
export interface NodePool extends KubeObject {
  readonly spec: {
    readonly template: NodeClaimTemplate;
    readonly disruption: {
      readonly consolidateAfter: string;
      readonly consolidationPolicy: ConsolidationPolicy;
      readonly budgets: readonly Budget[];
    };
    readonly limits?: ResourceList;
    /** 1..100; absent counts as 0. */
    readonly weight?: number;
    /** Static capacity (alpha in Karpenter); not supported yet. */
    readonly replicas?: number;
  };
  readonly status?: {
    readonly resources?: ResourceList;
    readonly nodes?: number;
    readonly nodeClassObservedGeneration?: number;
    readonly conditions?: readonly Condition[];
  };
}
