import type { Condition, KubeObject, ResourceList } from "../core-v1/meta.ts";
import type { Taint } from "../core-v1/pod.ts";
import type { NodeClassReference } from "./nodepool.ts";
import type { RequirementSpec } from "./requirement.ts";

export interface NodeClaimSpec {
  readonly requirements: readonly RequirementSpec[];
  readonly nodeClassRef: NodeClassReference;
  readonly taints?: readonly Taint[];
  readonly startupTaints?: readonly Taint[];
  readonly resources?: { readonly requests?: ResourceList };
  readonly terminationGracePeriod?: string;
  readonly expireAfter?: string;
}

export interface NodeClaimStatus {
  readonly nodeName?: string;
  readonly providerID?: string;
  readonly imageID?: string;
  readonly capacity?: ResourceList;
  readonly allocatable?: ResourceList;
  readonly lastPodEventTime?: string;
  readonly conditions?: readonly Condition[];
}

export interface NodeClaim extends KubeObject {
  readonly spec: NodeClaimSpec;
  readonly status?: NodeClaimStatus;
}
