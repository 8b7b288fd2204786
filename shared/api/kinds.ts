import type {
  ConfigMap,
  CSINode,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  PriorityClass,
  StorageClass,
  VolumeAttachment,
} from "./core-v1/cluster-objects.ts";
import type { Node } from "./core-v1/node.ts";
import type { Pod } from "./core-v1/pod.ts";
import type { DaemonSet, Deployment, Job, ReplicaSet, StatefulSet } from "./core-v1/workload.ts";
import type { EC2NodeClass } from "./ec2-v1/ec2nodeclass.ts";
import type { NodeClaim } from "./karpenter-v1/nodeclaim.ts";
import type { NodePool } from "./karpenter-v1/nodepool.ts";

/** Every kind that Outrigger reads, and its type. */
export interface KnownKinds {
  readonly Pod: Pod;
  readonly Deployment: Deployment;
  readonly ReplicaSet: ReplicaSet;
  readonly StatefulSet: StatefulSet;
  readonly DaemonSet: DaemonSet;
  readonly Job: Job;
  readonly PodDisruptionBudget: PodDisruptionBudget;
  readonly Node: Node;
  readonly PersistentVolume: PersistentVolume;
  readonly PersistentVolumeClaim: PersistentVolumeClaim;
  readonly StorageClass: StorageClass;
  readonly CSINode: CSINode;
  readonly VolumeAttachment: VolumeAttachment;
  readonly Namespace: Namespace;
  readonly PriorityClass: PriorityClass;
  readonly ConfigMap: ConfigMap;
  readonly NodePool: NodePool;
  readonly NodeClaim: NodeClaim;
  readonly EC2NodeClass: EC2NodeClass;
}

export type KnownKind = keyof KnownKinds;

export interface KindInfo {
  readonly apiVersion: string;
  /** The name in a URL of the API. */
  readonly plural: string;
  readonly namespaced: boolean;
}

const inNamespace = (apiVersion: string, plural: string): KindInfo => ({ apiVersion, plural, namespaced: true });
const inCluster = (apiVersion: string, plural: string): KindInfo => ({ apiVersion, plural, namespaced: false });

export const kinds: Readonly<Record<KnownKind, KindInfo>> = {
  Pod: inNamespace("v1", "pods"),
  Deployment: inNamespace("apps/v1", "deployments"),
  ReplicaSet: inNamespace("apps/v1", "replicasets"),
  StatefulSet: inNamespace("apps/v1", "statefulsets"),
  DaemonSet: inNamespace("apps/v1", "daemonsets"),
  Job: inNamespace("batch/v1", "jobs"),
  PodDisruptionBudget: inNamespace("policy/v1", "poddisruptionbudgets"),
  Node: inCluster("v1", "nodes"),
  PersistentVolume: inCluster("v1", "persistentvolumes"),
  PersistentVolumeClaim: inNamespace("v1", "persistentvolumeclaims"),
  StorageClass: inCluster("storage.k8s.io/v1", "storageclasses"),
  CSINode: inCluster("storage.k8s.io/v1", "csinodes"),
  VolumeAttachment: inCluster("storage.k8s.io/v1", "volumeattachments"),
  Namespace: inCluster("v1", "namespaces"),
  PriorityClass: inCluster("scheduling.k8s.io/v1", "priorityclasses"),
  ConfigMap: inNamespace("v1", "configmaps"),
  NodePool: inCluster("karpenter.sh/v1", "nodepools"),
  NodeClaim: inCluster("karpenter.sh/v1", "nodeclaims"),
  EC2NodeClass: inCluster("karpenter.k8s.aws/v1", "ec2nodeclasses"),
};

export function isKnownKind(kind: string): kind is KnownKind {
  return Object.hasOwn(kinds, kind);
}

/** "apps" of "apps/v1", "" of "v1". */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}

/** Groups in which Kubernetes serves, or once served, the kinds above: another version there is a mistake or out of date. */
export const kubernetesGroups: ReadonlySet<string> = new Set([
  "",
  "apps",
  "batch",
  "extensions",
  "policy",
  "scheduling.k8s.io",
  "storage.k8s.io",
]);
