/**
 * Karpenter counterpart: none; its controllers call the API server and the cloud where they decide. Here a decision is
 * data, and what is called is this list.
 */
import type { Json, ResourceList } from "#api/core-v1/meta.ts";
import type { Taint } from "#api/core-v1/pod.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { ObjectRef } from "./object-ref.ts";

/**
 * Every change that Outrigger can make, one closed union. The core decides them, a port carries them out, the
 * simulator applies them, the command line prints them, the invariants of the tests check them.
 * Each is idempotent or carries a precondition.
 */
export type Command = ClusterCommand | CloudCommand;

export type ClusterCommand =
  | CreateNodeClaim
  | PatchMetadata
  | TaintNode
  | PatchStatus
  | DeleteObject
  | EvictPod
  | PatchState
  | RecordEvent;

export type CloudCommand =
  | EnsureLaunchTemplate
  | LaunchInstance
  | TerminateInstance
  | TagInstance
  | EnsureCloudResource
  | DeleteCloudResource;

/** 409 is success only if the existing object carries the same decision annotation and is not being deleted. */
export interface CreateNodeClaim {
  readonly kind: "create-node-claim";
  readonly nodeClaim: NodeClaim;
}

/** JSON merge patch of metadata; a null removes the key. `finalizers` and `ownerReferences` replace the list and need a resourceVersion on the target. */
export interface PatchMetadata {
  readonly kind: "patch-metadata";
  readonly target: ObjectRef;
  readonly labels?: Readonly<Record<string, string | null>>;
  readonly annotations?: Readonly<Record<string, string | null>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly uid: string;
    readonly blockOwnerDeletion?: boolean;
  }[];
}

/** Replaces the whole list of taints (and labels in the same patch); the target carries its resourceVersion. */
export interface TaintNode {
  readonly kind: "taint-node";
  readonly target: ObjectRef;
  readonly taints: readonly Taint[];
  readonly labels?: Readonly<Record<string, string | null>>;
}

/** Merge patch of the status subresource; lists in it replace the whole list. */
export interface PatchStatus {
  readonly kind: "patch-status";
  readonly target: ObjectRef;
  readonly status: Readonly<Record<string, Json>>;
}

/** A delete with UID precondition. `gracePeriodSeconds` only for pods past their node's deadline. */
export interface DeleteObject {
  readonly kind: "delete-object";
  readonly target: ObjectRef;
  readonly gracePeriodSeconds?: number;
}

/** The eviction API with UID precondition: PodDisruptionBudgets decide. */
export interface EvictPod {
  readonly kind: "evict-pod";
  readonly target: ObjectRef;
}

/**
 * Keys of the state ConfigMap, each a fact of its own; null removes one. A merge patch of some keys commutes with one of
 * others. What one stage decides is sent as one patch.
 */
export interface PatchState {
  readonly kind: "patch-state";
  readonly data: Readonly<Record<string, string | null>>;
}

/** A Kubernetes Event under a deterministic name: the same thing said twice is one event (409 = already said). */
export interface RecordEvent {
  readonly kind: "record-event";
  readonly name: string;
  readonly about: ObjectRef;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** What a booting instance is told: enough to join as the right node. The provider renders it for each family of images. */
export interface Bootstrap {
  readonly clusterName: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly maxPods?: number;
  /** The local disks become one volume that holds the kubelet's data. */
  readonly instanceStorePolicy?: "RAID0";
  /** What the kubelet keeps of the machine, where the user says so. Thresholds by signal: quantities or percentages. */
  readonly kubelet?: {
    readonly systemReserved?: ResourceList;
    readonly kubeReserved?: ResourceList;
    readonly evictionHard?: Readonly<Record<string, string>>;
  };
}

/** Launch templates are named by a hash of their content, so creating one twice is the same template. */
export interface EnsureLaunchTemplate {
  readonly kind: "ensure-launch-template";
  readonly name: string;
  readonly imageId: string;
  readonly bootstrap: Bootstrap;
  /** The rest of the template in the provider's own field names; the core does not look inside. */
  readonly details: Readonly<Record<string, Json>>;
  readonly tags: Readonly<Record<string, string>>;
}

/** One way to get the instance. The cloud picks one of them; the first is the cheapest. */
export interface LaunchOption {
  readonly instanceType: string;
  readonly zone: string;
  readonly pricePerHour: number;
  readonly subnetId?: string;
  readonly launchTemplate?: string;
  /** For capacity type reserved. */
  readonly reservationId?: string;
}

/** `token` makes a repetition the same request; it is made of the claim's UID and the attempt. */
export interface LaunchInstance {
  readonly kind: "launch-instance";
  readonly nodeClaim: string;
  readonly nodeClaimUid: string;
  readonly attempt: number;
  readonly token: string;
  readonly capacityType: string;
  readonly options: readonly LaunchOption[];
  readonly tags: Readonly<Record<string, string>>;
  /** What else the provider's launch call is to be told; the core does not look inside. */
  readonly details?: Readonly<Record<string, Json>>;
}

export interface TerminateInstance {
  readonly kind: "terminate-instance";
  readonly instanceId: string;
}

export interface TagInstance {
  readonly kind: "tag-instance";
  readonly instanceId: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** Something of the provider's own that launches need, made when absent and never changed. The core does not look inside. */
export interface EnsureCloudResource {
  readonly kind: "ensure-cloud-resource";
  readonly type: string;
  readonly name: string;
  readonly content: Readonly<Record<string, Json>>;
  readonly tags: Readonly<Record<string, string>>;
}

/** Done when it is gone, also when it never was. */
export interface DeleteCloudResource {
  readonly kind: "delete-cloud-resource";
  readonly type: string;
  readonly name: string;
}
