/**
 * A scheduling problem in one document, and the answer to it: the form in which `outrigger solve` and the differential
 * tests exchange problems with Karpenter's own scheduler. Kubernetes objects stand in it as they are.
 */
import type { KubeObject, ResourceList } from "#api/core-v1/meta.ts";
import type { Pod, Taint } from "#api/core-v1/pod.ts";
import type { DaemonSet } from "#api/core-v1/workload.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";

/** What was read: every default filled in, objects through the door of `api`. */
export interface Problem {
  readonly options: ProblemOptions;
  readonly nodePools: readonly NodePool[];
  readonly instanceTypes: readonly ProblemInstanceType[];
  readonly nodes: readonly ProblemNode[];
  /** Those without `spec.nodeName` wait for a node. */
  readonly pods: readonly Pod[];
  readonly daemonSets: readonly DaemonSet[];
  /** Nodes and NodeClaims in full, PodDisruptionBudgets, volumes, namespaces. */
  readonly objects: readonly KubeObject[];
}

export interface ProblemOptions {
  readonly preferencePolicy: "Respect" | "Ignore";
  readonly minValuesPolicy: "Strict" | "BestEffort";
  /** False: a claim that could be reserved and is not waits, as in provisioning. */
  readonly reservedFallback: boolean;
  readonly spotToSpotConsolidation: boolean;
  /** Labels that instance types define, beyond Karpenter's own. */
  readonly wellKnownLabels: readonly string[];
  /** The label by which reserved offerings name their reservation; "" for none. */
  readonly reservationIDLabel: string;
  /** Names of nodes that are going away. */
  readonly markedForDeletion: readonly string[];
}

export interface ProblemOffering {
  readonly zone: string;
  readonly capacityType: string;
  /** Per hour. */
  readonly price: number;
  readonly available: boolean;
  readonly reservationCapacity: number;
  /** Beyond zone and capacity type. */
  readonly requirements: readonly RequirementSpec[];
}

export interface ProblemInstanceType {
  readonly name: string;
  /** Offered to these NodePools; empty: to all. */
  readonly nodePools: readonly string[];
  /** What is left out of name, arch, os, zone and capacity type is derived. */
  readonly requirements: readonly RequirementSpec[];
  readonly capacity: ResourceList;
  readonly overhead: {
    readonly kubeReserved?: ResourceList;
    readonly systemReserved?: ResourceList;
    readonly evictionThreshold?: ResourceList;
  };
  readonly offerings: readonly ProblemOffering[];
}

/** A node in short form; with `nodePool` it has an initialised NodeClaim. */
export interface ProblemNode {
  readonly name: string;
  readonly nodePool?: string;
  readonly instanceType?: string;
  readonly zone?: string;
  readonly capacityType?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  /** Absent: the instance type's. */
  readonly capacity?: ResourceList;
  readonly allocatable?: ResourceList;
  readonly uninitialized?: boolean;
}

export interface AnswerOffering {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly price: number;
}

export interface AnswerClaim {
  readonly nodePool: string;
  readonly requirements: readonly RequirementSpec[];
  /** Cheapest first. */
  readonly instanceTypes: readonly string[];
  readonly cheapest?: AnswerOffering;
  readonly requests: ResourceList;
  /** `namespace/name`. */
  readonly pods: readonly string[];
}

export interface AnswerNode {
  readonly name: string;
  readonly pods: readonly string[];
}

export interface AnswerRun {
  /** From parsed objects to a snapshot. */
  readonly setupMs: number;
  /** From the snapshot to the plan. */
  readonly solveMs: number;
  readonly nodeClaims: number;
  readonly podsOnExistingNodes: number;
  readonly podsOnNewNodes: number;
  readonly podErrors: number;
  readonly cheapestCostPerHour: number;
  /** Of disruption: nodes that may be disrupted, and what is done in a few words. */
  readonly candidates?: number;
  readonly decision?: string;
}

/** What a plan places where: the part of the answer that does not change from run to run. */
export interface Placement {
  readonly nodeClaims: readonly AnswerClaim[];
  readonly existingNodes: readonly AnswerNode[];
  /** By `namespace/name`. */
  readonly podErrors: Readonly<Record<string, string>>;
}

/** Nodes that go, and the claim that comes for them. */
export interface AnswerCommand {
  readonly decision: "delete" | "replace";
  /** Names of nodes, sorted. */
  readonly candidates: readonly string[];
  readonly replacements?: readonly AnswerClaim[];
  /** Where else their pods have room. */
  readonly existingNodes?: readonly AnswerNode[];
  /** The price of the nodes without that of their replacement at its cheapest. */
  readonly savedPerHour?: number;
}

export interface Answer extends Partial<Placement> {
  readonly mode: "provision" | "emptiness" | "multi" | "single";
  /** Who answers; Karpenter writes its version here. */
  readonly karpenter: string;
  readonly runs: readonly AnswerRun[];
  /** Of disruption. */
  readonly commands?: readonly AnswerCommand[];
  /** Of disruption: why nodes stay, by name. */
  readonly kept?: Readonly<Record<string, string>>;
  readonly peakRSSMB: number;
}
