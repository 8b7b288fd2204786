/** Problems as they are written down: the form that Karpenter's peer and `outrigger solve` read. */
import type { KubeObject } from "#api/core-v1/meta.ts";
import type { PodSpec, Taint } from "#api/core-v1/pod.ts";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import type { Problem, ProblemInstanceType, ProblemNode, ProblemOffering } from "../../../cli/solve/problem.ts";

export type RawOffering = Pick<ProblemOffering, "zone" | "capacityType" | "price"> & Partial<ProblemOffering>;

export type RawInstanceType = Pick<ProblemInstanceType, "name" | "capacity" | "overhead"> &
  Partial<Pick<ProblemInstanceType, "requirements" | "nodePools">> & { readonly offerings: readonly RawOffering[] };

export interface RawPod {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly creationTimestamp?: string;
    readonly ownerReferences?: readonly object[];
  };
  readonly spec: PodSpec;
}

export interface RawDaemonSet {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: PodSpec;
    };
  };
}

export interface RawNodePool {
  readonly apiVersion: "karpenter.sh/v1";
  readonly kind: "NodePool";
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly weight?: number;
    readonly limits?: Readonly<Record<string, string>>;
    readonly disruption: {
      readonly consolidateAfter: string;
      readonly consolidationPolicy: string;
      readonly budgets: readonly { readonly nodes: string }[];
    };
    readonly template: {
      readonly metadata?: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly requirements: readonly RequirementSpec[];
        readonly nodeClassRef: { readonly group: string; readonly kind: string; readonly name: string };
        readonly taints?: readonly Taint[];
        readonly startupTaints?: readonly Taint[];
        readonly expireAfter: string;
      };
    };
  };
}

export interface RawProblem {
  readonly options: Partial<Problem["options"]>;
  readonly nodePools: readonly RawNodePool[];
  readonly instanceTypes: readonly RawInstanceType[];
  readonly nodes: readonly ProblemNode[];
  readonly pods: readonly RawPod[];
  readonly daemonSets: readonly RawDaemonSet[];
  readonly objects: readonly (KubeObject & { readonly [field: string]: unknown })[];
}
