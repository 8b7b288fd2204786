import type { KubeObject, LabelSelector, ResourceList } from "./meta.ts";
import type { NodeSelectorTerm } from "./pod.ts";

export interface PodDisruptionBudget extends KubeObject {
  readonly spec: {
    readonly selector?: LabelSelector;
    readonly minAvailable?: number | string;
    readonly maxUnavailable?: number | string;
    readonly unhealthyPodEvictionPolicy?: "IfHealthyBudget" | "AlwaysAllow";
  };
  readonly status?: {
    readonly disruptionsAllowed?: number;
    readonly currentHealthy?: number;
    readonly desiredHealthy?: number;
    readonly expectedPods?: number;
  };
}

export interface PersistentVolumeClaim extends KubeObject {
  readonly spec: {
    readonly storageClassName?: string;
    readonly volumeName?: string;
    readonly accessModes?: readonly string[];
    readonly volumeMode?: string;
    readonly selector?: LabelSelector;
    readonly resources?: { readonly requests?: ResourceList };
  };
  readonly status?: { readonly phase?: "Pending" | "Bound" | "Lost" };
}

export interface PersistentVolume extends KubeObject {
  readonly spec: {
    readonly storageClassName?: string;
    readonly nodeAffinity?: { readonly required?: { readonly nodeSelectorTerms: readonly NodeSelectorTerm[] } };
    readonly csi?: { readonly driver: string };
    readonly awsElasticBlockStore?: { readonly volumeID: string };
    readonly local?: { readonly path: string };
    readonly hostPath?: { readonly path: string };
    readonly capacity?: ResourceList;
    readonly accessModes?: readonly string[];
    readonly volumeMode?: string;
    /** Whose it is, or is kept for. */
    readonly claimRef?: { readonly name: string; readonly namespace?: string };
  };
}

export interface StorageClass extends KubeObject {
  readonly provisioner: string;
  readonly volumeBindingMode?: "Immediate" | "WaitForFirstConsumer";
  readonly allowedTopologies?: readonly {
    readonly matchLabelExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[];
  }[];
}

export interface CSINode extends KubeObject {
  readonly spec: {
    readonly drivers: readonly { readonly name: string; readonly allocatable?: { readonly count?: number } }[];
  };
}

export interface VolumeAttachment extends KubeObject {
  readonly spec: {
    readonly attacher: string;
    readonly nodeName: string;
    readonly source: { readonly persistentVolumeName?: string };
  };
}

export type Namespace = KubeObject;

export interface PriorityClass extends KubeObject {
  readonly value: number;
  readonly globalDefault?: boolean;
  readonly preemptionPolicy?: string;
}

/** Outrigger's state lives in one of these: data, one key a fact. */
export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export interface KubeEvent extends KubeObject {
  readonly involvedObject: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
  };
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly count: number;
  readonly source: { readonly component: string };
}
