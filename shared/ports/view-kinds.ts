import type { KnownKind } from "#api/kinds.ts";
import type { ClusterView } from "#core/snapshot.ts";

/** The lists of a view and the kind that each holds. Node classes and what is not supported yet depend on the provider. */
export const viewKinds = {
  pods: "Pod",
  nodes: "Node",
  nodeClaims: "NodeClaim",
  nodePools: "NodePool",
  daemonSets: "DaemonSet",
  podDisruptionBudgets: "PodDisruptionBudget",
  persistentVolumeClaims: "PersistentVolumeClaim",
  persistentVolumes: "PersistentVolume",
  storageClasses: "StorageClass",
  csiNodes: "CSINode",
  volumeAttachments: "VolumeAttachment",
  namespaces: "Namespace",
} as const satisfies Readonly<
  Record<Exclude<keyof ClusterView, "nodeClasses" | "unsupported" | "state" | "problems">, KnownKind>
>;

/** Kinds that are read so that Outrigger can say that it does not act on them yet. The cluster may not know them. */
export const unsupportedKinds = {
  NodeOverlay: { apiVersion: "karpenter.sh/v1alpha1", plural: "nodeoverlays", namespaced: false },
  CapacityBuffer: { apiVersion: "autoscaling.x-k8s.io/v1beta1", plural: "capacitybuffers", namespaced: true },
} as const;
