import type { KubeObject, LabelSelector } from "./meta.ts";
import type { PodTemplateSpec } from "./pod.ts";

export interface Deployment extends KubeObject {
  readonly spec: { readonly replicas?: number; readonly selector: LabelSelector; readonly template: PodTemplateSpec };
  readonly status?: { readonly replicas?: number; readonly readyReplicas?: number };
}

export type ReplicaSet = Deployment;
export type StatefulSet = Deployment;

export interface DaemonSet extends KubeObject {
  readonly spec: { readonly selector: LabelSelector; readonly template: PodTemplateSpec };
}

export interface Job extends KubeObject {
  readonly spec: {
    readonly parallelism?: number;
    readonly completions?: number;
    readonly template: PodTemplateSpec;
  };
  readonly status?: { readonly active?: number; readonly succeeded?: number };
}
