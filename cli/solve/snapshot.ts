/** A problem as a snapshot of a cluster, and the cloud that offers its instance types. */
import type { KubeObject } from "#api/core-v1/meta.ts";
import type { Node } from "#api/core-v1/node.ts";
import type { Pod, PodStatus } from "#api/core-v1/pod.ts";
import { nodePoolLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import type { KnownKind, KnownKinds } from "#api/kinds.ts";
import type { InstanceType } from "#core/instance-type.ts";
import type { SchedulingProvider } from "#core/provisioning/scheduling-problem.ts";
import { defaultSettings } from "#core/settings.ts";
import type { ClusterView, Snapshot } from "#core/snapshot.ts";
import { madeNode } from "./existing-nodes.ts";
import { instanceTypeOf } from "./instance-types.ts";
import type { Problem } from "./problem.ts";
import { standInClass } from "./problem-shapes.ts";

/** What each NodePool may be given; NodePools with the same offer share one list. */
export interface OfferedTypes {
  readonly byPool: ReadonlyMap<string, readonly InstanceType[]>;
  readonly all: readonly InstanceType[];
}

export interface PosedProblem {
  readonly snapshot: Snapshot<OfferedTypes>;
  readonly provider: SchedulingProvider<OfferedTypes>;
}

/** Problems have no date: this one is as good as any, and the same each time. */
const nowMs = Date.parse("2026-01-01T12:00:00Z");
const yesterday = "2025-12-31T12:00:00Z";

const nodeClass = { group: standInClass.group, kind: standInClass.kind, label: "outrigger.dev/problemclass" };

const unschedulable: PodStatus = {
  phase: "Pending",
  conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }],
};

export function posedProblem(problem: Problem): PosedProblem {
  const { options } = problem;
  const all = problem.instanceTypes
    .map((type) => instanceTypeOf(type, options.reservationIDLabel))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const view: OfferedTypes = { all, byPool: offersByPool(problem, all) };
  const labels = [
    ...options.wellKnownLabels,
    ...(options.reservationIDLabel === "" ? [] : [options.reservationIDLabel]),
  ];
  const known = (types: readonly InstanceType[] | undefined) => ({
    kind: "known" as const,
    instanceTypes: types ?? [],
  });
  return {
    snapshot: {
      nowMs,
      seed: 1,
      decisionId: "solve",
      settings: {
        ...defaultSettings,
        preferencePolicy: options.preferencePolicy,
        minValuesPolicy: options.minValuesPolicy,
        featureGates: { ...defaultSettings.featureGates, spotToSpotConsolidation: options.spotToSpotConsolidation },
      },
      cluster: clusterOf(problem, all),
      cloud: { instances: [], incomplete: [], view },
      steps: [],
    },
    provider: {
      nodeClass,
      wellKnownLabels: [...new Set(labels)].sort(),
      ...(options.reservationIDLabel === "" ? {} : { reservationIdLabel: options.reservationIDLabel }),
      instanceTypes: ({ cloud }, { metadata }) => known(cloud.view.byPool.get(metadata.name)),
      instanceTypesOfClaim: ({ cloud }, { metadata }) => {
        const pool = metadata.labels?.[nodePoolLabel];
        return known(pool === undefined ? cloud.view.all : cloud.view.byPool.get(pool));
      },
    },
  };
}

function offersByPool(
  { nodePools, instanceTypes }: Problem,
  all: readonly InstanceType[],
): ReadonlyMap<string, readonly InstanceType[]> {
  const pools = new Map(instanceTypes.map(({ name, nodePools: named }) => [name, named]));
  const shared = new Map<string, readonly InstanceType[]>();
  return new Map(
    nodePools.map(({ metadata }) => {
      const offered = all.filter(({ name }) => {
        const named = pools.get(name) ?? [];
        return named.length === 0 || named.includes(metadata.name);
      });
      const key = JSON.stringify(offered.map(({ name }) => name));
      const list = shared.get(key) ?? offered;
      shared.set(key, list);
      return [metadata.name, list];
    }),
  );
}

function clusterOf(problem: Problem, types: readonly InstanceType[]): ClusterView {
  const { objects, options } = problem;
  const typeOf = new Map(types.map((type) => [type.name, type]));
  const made = problem.nodes.map((short) => madeNode(short, typeOf.get(short.instanceType ?? ""), yesterday));
  const leaving = new Set(options.markedForDeletion);
  const nodes = [...made.map(({ node }) => node), ...ofKind(objects, "Node")];
  const claims = [...made.flatMap(({ claim }) => claim ?? []), ...ofKind(objects, "NodeClaim").map(withStandIn)];
  const leavingIds = new Set(
    nodes.filter(({ metadata }) => leaving.has(metadata.name)).map(({ spec }) => spec.providerID),
  );
  return {
    pods: sorted(problem.pods.map(withStatus)),
    nodes: sorted(nodes.map((node) => (leaving.has(node.metadata.name) ? going<Node>(node) : node))),
    nodeClaims: sorted(claims.map((one) => (leavingIds.has(one.status?.providerID) ? going<NodeClaim>(one) : one))),
    nodePools: sorted(problem.nodePools.map(ready)),
    nodeClasses: [],
    daemonSets: sorted(problem.daemonSets),
    podDisruptionBudgets: sorted(ofKind(objects, "PodDisruptionBudget")),
    persistentVolumeClaims: sorted(ofKind(objects, "PersistentVolumeClaim")),
    persistentVolumes: sorted(ofKind(objects, "PersistentVolume")),
    storageClasses: sorted(ofKind(objects, "StorageClass")),
    csiNodes: sorted(ofKind(objects, "CSINode")),
    volumeAttachments: sorted(ofKind(objects, "VolumeAttachment")),
    namespaces: sorted(ofKind(objects, "Namespace")),
    state: {},
    problems: [],
    unsupported: [],
  };
}

function ofKind<K extends KnownKind>(objects: readonly KubeObject[], kind: K): readonly KnownKinds[K][] {
  // The door of api has read each object by its kind.
  return objects.filter((object) => object.kind === kind) as unknown as readonly KnownKinds[K][];
}

/** A pod without a node waits, and kube-scheduler has tried it; one with a node runs. */
function withStatus(pod: Pod): Pod {
  if (pod.spec.nodeName === undefined) return { ...pod, status: { ...pod.status, ...unschedulable } };
  return pod.status?.phase === undefined ? { ...pod, status: { ...pod.status, phase: "Running" } } : pod;
}

function withStandIn(claim: NodeClaim): NodeClaim {
  return { ...claim, spec: { ...claim.spec, nodeClassRef: standInClass } };
}

function ready(nodePool: NodePool): NodePool {
  const condition = { type: "Ready", status: "True", reason: "Ready", message: "", lastTransitionTime: yesterday };
  const { metadata } = nodePool;
  return {
    ...nodePool,
    metadata: { ...metadata, uid: metadata.uid ?? `np-${metadata.name}` },
    status: { conditions: [{ ...condition, status: "True" }] },
  };
}

function going<T extends KubeObject>(object: T): T {
  return { ...object, metadata: { ...object.metadata, deletionTimestamp: yesterday } };
}

function sorted<T extends KubeObject>(objects: readonly T[]): readonly T[] {
  return [...objects].sort((a, b) => {
    const [first, second] = [a.metadata.namespace ?? "", b.metadata.namespace ?? ""];
    if (first !== second) return first < second ? -1 : 1;
    return a.metadata.name < b.metadata.name ? -1 : a.metadata.name > b.metadata.name ? 1 : 0;
  });
}
