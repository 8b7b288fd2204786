import type {
  ConfigMap,
  CSINode,
  KubeEvent,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  PriorityClass,
  StorageClass,
  VolumeAttachment,
} from "#api/core-v1/cluster-objects.ts";
import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import type { DaemonSet, Deployment, Job, ReplicaSet, StatefulSet } from "#api/core-v1/workload.ts";
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";

/** The type behind each kind that has one. */
export interface ObjectOfKind {
  Pod: Pod;
  Node: Node;
  Namespace: Namespace;
  ConfigMap: ConfigMap;
  Event: KubeEvent;
  PersistentVolume: PersistentVolume;
  PersistentVolumeClaim: PersistentVolumeClaim;
  StorageClass: StorageClass;
  CSINode: CSINode;
  VolumeAttachment: VolumeAttachment;
  PriorityClass: PriorityClass;
  PodDisruptionBudget: PodDisruptionBudget;
  Deployment: Deployment;
  ReplicaSet: ReplicaSet;
  StatefulSet: StatefulSet;
  DaemonSet: DaemonSet;
  Job: Job;
  NodePool: NodePool;
  NodeClaim: NodeClaim;
  EC2NodeClass: EC2NodeClass;
}
export type KnownKind = keyof ObjectOfKind;

/** How the API server serves one kind. A kind's name is unique here, whatever its group. */
export interface ResourceKind {
  readonly kind: string;
  readonly apiVersion: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Has a status subresource: plain writes leave status alone, status writes leave the rest alone. */
  readonly status: boolean;
  /** Counts changes of the specification in metadata.generation. */
  readonly generation: boolean;
  /** Has a scale subresource over spec.replicas. */
  readonly scale: boolean;
  /** Kubernetes keeps the status that such an object is created with. */
  readonly keepsStatusOnCreate?: boolean;
  /** `unsupported`: listed in ClusterView.unsupported. `node-class`: listed there. */
  readonly role?: "node-class" | "unsupported";
}

function row(
  kind: string,
  apiVersion: string,
  plural: string,
  traits: string,
  role?: "node-class" | "unsupported",
): ResourceKind {
  const has = (trait: string): boolean => traits.split(" ").includes(trait);
  return {
    kind,
    apiVersion,
    plural,
    namespaced: has("namespaced"),
    status: has("status") || has("status-kept"),
    generation: has("generation"),
    scale: has("scale"),
    keepsStatusOnCreate: has("status-kept"),
    ...(role === undefined ? {} : { role }),
  };
}

export const builtInKinds: readonly ResourceKind[] = [
  row("Pod", "v1", "pods", "namespaced status generation"),
  row("Node", "v1", "nodes", "status-kept"),
  row("Namespace", "v1", "namespaces", "status"),
  row("ConfigMap", "v1", "configmaps", "namespaced"),
  row("Event", "v1", "events", "namespaced"),
  row("Service", "v1", "services", "namespaced status"),
  row("PersistentVolume", "v1", "persistentvolumes", "status"),
  row("PersistentVolumeClaim", "v1", "persistentvolumeclaims", "namespaced status"),
  row("Lease", "coordination.k8s.io/v1", "leases", "namespaced"),
  row("StorageClass", "storage.k8s.io/v1", "storageclasses", ""),
  row("CSINode", "storage.k8s.io/v1", "csinodes", ""),
  row("VolumeAttachment", "storage.k8s.io/v1", "volumeattachments", "status"),
  row("PriorityClass", "scheduling.k8s.io/v1", "priorityclasses", "generation"),
  row("PodDisruptionBudget", "policy/v1", "poddisruptionbudgets", "namespaced status generation"),
  row("Deployment", "apps/v1", "deployments", "namespaced status generation scale"),
  row("ReplicaSet", "apps/v1", "replicasets", "namespaced status generation scale"),
  row("StatefulSet", "apps/v1", "statefulsets", "namespaced status generation scale"),
  row("DaemonSet", "apps/v1", "daemonsets", "namespaced status generation"),
  row("Job", "batch/v1", "jobs", "namespaced status generation"),
  row("NodePool", "karpenter.sh/v1", "nodepools", "status generation scale"),
  row("NodeClaim", "karpenter.sh/v1", "nodeclaims", "status generation"),
  row("EC2NodeClass", "karpenter.k8s.aws/v1", "ec2nodeclasses", "status generation", "node-class"),
  row("NodeOverlay", "karpenter.sh/v1alpha1", "nodeoverlays", "status generation", "unsupported"),
  row(
    "CapacityBuffer",
    "autoscaling.x-k8s.io/v1beta1",
    "capacitybuffers",
    "namespaced status generation",
    "unsupported",
  ),
];

/** A node class of another provider, for `customKinds`. */
export function nodeClassKind(kind: string, apiVersion: string, plural: string): ResourceKind {
  return row(kind, apiVersion, plural, "status generation", "node-class");
}

/** "namespace/name", or the name alone: the key inside one kind, and the order of lists. */
export function keyOf(kind: ResourceKind, name: string, namespace: string | undefined): string {
  return kind.namespaced ? `${namespace ?? "default"}/${name}` : name;
}
