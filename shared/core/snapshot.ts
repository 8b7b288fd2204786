/**
 * Karpenter counterpart: pkg/controllers/state/cluster.go, which caches the cluster and is read while it changes. It
 * differs: one look a tick, frozen, with the time in it.
 */
import type {
  CSINode,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  StorageClass,
  VolumeAttachment,
} from "#api/core-v1/cluster-objects.ts";
import type { Condition, KubeObject } from "#api/core-v1/meta.ts";
import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import type { DaemonSet } from "#api/core-v1/workload.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import type { Instance } from "./instance.ts";
import type { ObjectProblem } from "./object-problem.ts";
import type { Step } from "./outcome.ts";
import type { Settings } from "./settings.ts";

/** Any provider's node class: the core reads its readiness, the provider reads the rest. */
export interface NodeClass extends KubeObject {
  readonly spec: object;
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** The cluster's objects, each list sorted by namespace and name, already through the door of `api` (parsed, defaulted). */
export interface ClusterView {
  readonly pods: readonly Pod[];
  readonly nodes: readonly Node[];
  readonly nodeClaims: readonly NodeClaim[];
  readonly nodePools: readonly NodePool[];
  readonly nodeClasses: readonly NodeClass[];
  readonly daemonSets: readonly DaemonSet[];
  readonly podDisruptionBudgets: readonly PodDisruptionBudget[];
  readonly persistentVolumeClaims: readonly PersistentVolumeClaim[];
  readonly persistentVolumes: readonly PersistentVolume[];
  readonly storageClasses: readonly StorageClass[];
  readonly csiNodes: readonly CSINode[];
  readonly volumeAttachments: readonly VolumeAttachment[];
  readonly namespaces: readonly Namespace[];
  /** data of the state ConfigMap: unavailable offerings, back-offs, learned capacity, … one key a fact. */
  readonly state: Readonly<Record<string, string>>;
  /** Objects that did not pass the door: named, not acted on, and what may depend on them is left alone. */
  readonly problems: readonly ObjectProblem[];
  /** Kinds that exist in the cluster and that Outrigger does not act on yet, so that it can say so once each. */
  readonly unsupported: readonly KubeObject[];
}

/** A view of nothing: what a part of a look that was not asked for holds. */
export const emptyCluster: ClusterView = {
  pods: [],
  nodes: [],
  nodeClaims: [],
  nodePools: [],
  nodeClasses: [],
  daemonSets: [],
  podDisruptionBudgets: [],
  persistentVolumeClaims: [],
  persistentVolumes: [],
  storageClasses: [],
  csiNodes: [],
  volumeAttachments: [],
  namespaces: [],
  state: {},
  problems: [],
  unsupported: [],
};

/** What the cloud reports. `view` is the provider's own (catalogue, subnets, images); the core does not look inside. */
export interface CloudObservation<View> {
  readonly instances: readonly Instance[];
  /** Reads that were throttled, partial or failed: they cancel disruption and collection for this tick. */
  readonly incomplete: readonly string[];
  readonly view: View;
}

/**
 * All that a decision may know: plain, frozen, serialisable data. Time and randomness come in here and nowhere else.
 * `steps` is what this tick did so far, so that a later stage can react to an outcome.
 */
export interface Snapshot<View = unknown> {
  readonly nowMs: number;
  readonly seed: number;
  /** Names this tick; claims that it creates carry it. */
  readonly decisionId: string;
  readonly settings: Settings;
  readonly cluster: ClusterView;
  readonly cloud: CloudObservation<View>;
  readonly steps: readonly Step[];
}
