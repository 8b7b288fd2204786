import type { KubeObject, ResourceList } from "./meta.ts";
import type { PodCondition, Taint } from "./pod.ts";

/** A node's conditions have no observedGeneration; otherwise as a pod's. */
export type NodeCondition = PodCondition;

export interface Node extends KubeObject {
  readonly spec: {
    readonly providerID?: string;
    readonly taints?: readonly Taint[];
    readonly unschedulable?: boolean;
  };
  readonly status?: {
    readonly capacity?: ResourceList;
    readonly allocatable?: ResourceList;
    readonly conditions?: readonly NodeCondition[];
    readonly nodeInfo?: { readonly kubeletVersion?: string; readonly osImage?: string };
  };
}
