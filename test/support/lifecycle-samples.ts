/** Objects and a made-up provider for the tests of the lifecycle: what a claim, its node and its instance look like. */
import type { Condition } from "#api/core-v1/meta.ts";
import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import { apiVersion, nodePoolLabel, terminationFinalizer } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim, NodeClaimSpec, NodeClaimStatus } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { clusterIdentityTag, nodeClaimTag, nodeClaimUidTag } from "#api/outrigger-names.ts";
import { formatTime } from "#api/time.ts";
import type { CloudProvider } from "#core/cloud-provider.ts";
import type { Instance } from "#core/instance.ts";
import type { InstanceType } from "#core/instance-type.ts";
import { defaultSettings } from "#core/settings.ts";
import { type ClusterView, emptyCluster, type Snapshot } from "#core/snapshot.ts";

export const nowMs = Date.parse("2026-11-30T12:00:00Z");
export const minuteMs = 60_000;
export const identity = "arn:sample@1";

/** An RFC 3339 time so many ms before `nowMs`. */
export function ago(ms: number): string {
  return formatTime(nowMs - ms);
}

type Meta = Partial<NodeClaim["metadata"]>;

export const nodeClass = { group: "sample.dev", kind: "SampleClass", label: "sample.dev/sampleclass" };

export function condition(type: string, status: "True" | "False" | "Unknown", sinceMs = nowMs): Condition {
  return { type, status, reason: type, message: "", lastTransitionTime: formatTime(sinceMs), observedGeneration: 1 };
}

export function claimOf(
  name: string,
  { spec = {}, status, ...meta }: Meta & { spec?: Partial<NodeClaimSpec>; status?: NodeClaimStatus } = {},
): NodeClaim {
  return {
    apiVersion,
    kind: "NodeClaim",
    metadata: {
      name,
      uid: `uid-${name}`,
      resourceVersion: "1",
      generation: 1,
      creationTimestamp: ago(minuteMs),
      finalizers: [terminationFinalizer],
      labels: { [nodePoolLabel]: "pool", [nodeClass.label]: "default" },
      ...meta,
    },
    spec: {
      requirements: [],
      nodeClassRef: { group: nodeClass.group, kind: nodeClass.kind, name: "default" },
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  };
}

export function providerIdOf(name: string): string {
  return `sample:///zone-a/i-${name}`;
}

/** Status of a claim whose node has come as far as `until`, each step at `sinceMs`. */
export function statusOf(
  name: string,
  until: "launched" | "registered" | "initialized",
  sinceMs = nowMs - 10 * minuteMs,
): NodeClaimStatus {
  const steps = ["launched", "registered", "initialized"];
  const reached = ["Launched", "Registered", "Initialized"].slice(0, steps.indexOf(until) + 1);
  const types = until === "initialized" ? [...reached, "ConsistentStateFound", "Ready"] : reached;
  return {
    providerID: providerIdOf(name),
    ...(until === "launched" ? {} : { nodeName: `node-${name}` }),
    capacity: { cpu: "2", memory: "4Gi", pods: "10" },
    allocatable: { cpu: "1900m", memory: "3Gi", pods: "10" },
    conditions: types.map((type) => condition(type, "True", sinceMs)),
  };
}

/** The Node of the claim of that name, ready and registered unless told otherwise. */
export function nodeOf(
  name: string,
  { spec = {}, ready = "True", ...meta }: Meta & { spec?: Partial<Node["spec"]>; ready?: "True" | "False" } = {},
): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name: `node-${name}`,
      uid: `uid-node-${name}`,
      resourceVersion: "1",
      creationTimestamp: ago(minuteMs),
      finalizers: [terminationFinalizer],
      labels: {
        [nodePoolLabel]: "pool",
        [nodeClass.label]: "default",
        "karpenter.sh/registered": "true",
        "karpenter.sh/initialized": "true",
      },
      ownerReferences: [{ apiVersion, kind: "NodeClaim", name, uid: `uid-${name}`, blockOwnerDeletion: true }],
      ...meta,
    },
    spec: { providerID: providerIdOf(name), ...spec },
    status: {
      capacity: { cpu: "2", memory: "4Gi", pods: "10" },
      allocatable: { cpu: "1900m", memory: "3Gi", pods: "10" },
      conditions: [{ type: "Ready", status: ready }],
    },
  };
}

/** A running pod of a ReplicaSet on the node of that claim. */
export function podOf(
  name: string,
  on: string | undefined,
  { spec = {}, status = {}, ...meta }: Meta & { spec?: Partial<Pod["spec"]>; status?: Pod["status"] } = {},
): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "default",
      uid: `uid-pod-${name}`,
      resourceVersion: "1",
      labels: { app: "web" },
      ...meta,
    },
    spec: {
      containers: [{ name: "main", resources: { requests: { cpu: "100m" } } }],
      terminationGracePeriodSeconds: 30,
      ...(on === undefined ? {} : { nodeName: `node-${on}` }),
      ...spec,
    },
    status: { phase: "Running", startTime: ago(5 * minuteMs), ...status },
  };
}

export const daemonOwner = [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "agent", uid: "uid-agent" }];

export function poolOf(
  name = "pool",
  { disruption = {}, ...meta }: Meta & { disruption?: Partial<NodePool["spec"]["disruption"]> } = {},
): NodePool {
  return {
    apiVersion,
    kind: "NodePool",
    metadata: { name, uid: `uid-pool-${name}`, resourceVersion: "1", generation: 1, ...meta },
    spec: {
      template: {
        spec: {
          requirements: [],
          nodeClassRef: { group: nodeClass.group, kind: nodeClass.kind, name: "default" },
          expireAfter: "720h",
        },
      },
      disruption: {
        consolidateAfter: "0s",
        consolidationPolicy: "WhenEmptyOrUnderutilized",
        budgets: [{ nodes: "100%" }],
        ...disruption,
      },
    },
  };
}

export function instanceOf(name: string, change: Partial<Instance> = {}): Instance {
  return {
    id: `i-${name}`,
    providerID: providerIdOf(name),
    state: "running",
    instanceType: "small",
    zone: "zone-a",
    capacityType: "on-demand",
    imageId: "image-1",
    launchedAtMs: nowMs - 10 * minuteMs,
    tags: { [nodeClaimTag]: name, [nodeClaimUidTag]: `uid-${name}`, [clusterIdentityTag]: identity },
    ...change,
  };
}

const small: InstanceType = {
  name: "small",
  requirements: [{ key: "node.kubernetes.io/instance-type", operator: "In", values: ["small"] }],
  offerings: [{ zone: "zone-a", capacityType: "on-demand", pricePerHour: 0.1, available: true }],
  capacity: { cpu: 2_000, memory: 4 * 2 ** 30, pods: 10 },
  allocatable: { cpu: 1_900, memory: 3 * 2 ** 30, pods: 10 },
};

/** One machine type, one zone, one launch template. */
export const provider: CloudProvider<undefined, unknown> = {
  name: "sample",
  nodeClass,
  wellKnownLabels: [],
  query: () => undefined,
  nodeClasses: () => ({ commands: [], reasons: [] }),
  instanceTypes: () => ({ kind: "known", instanceTypes: [small] }),
  instanceTypesOfClaim: () => ({ kind: "known", instanceTypes: [small] }),
  planLaunch: (_, claim, attempt) => ({
    kind: "launch",
    prepare: [
      {
        kind: "ensure-launch-template",
        name: "template",
        imageId: "image-1",
        bootstrap: { clusterName: "sample", labels: {}, taints: [] },
        details: {},
        tags: {},
      },
    ],
    launch: {
      kind: "launch-instance",
      nodeClaim: claim.metadata.name,
      nodeClaimUid: claim.metadata.uid ?? "",
      attempt,
      token: `${claim.metadata.uid}-${attempt}`,
      capacityType: "on-demand",
      options: [{ instanceType: "small", zone: "zone-a", pricePerHour: 0.1 }],
      tags: {},
    },
  }),
  readMessage: () => ({ kind: "unknown", message: "this cloud announces nothing" }),
  launched: (_, __, instance) => ({
    labels: {
      "node.kubernetes.io/instance-type": instance.instanceType,
      "topology.kubernetes.io/zone": instance.zone,
      "karpenter.sh/capacity-type": instance.capacityType,
    },
    annotations: { "sample.dev/hash": "1" },
    capacity: { cpu: "2", memory: "4Gi", pods: "10" },
    allocatable: { cpu: "1900m", memory: "3Gi", pods: "10" },
  }),
};

export function snapshotOf(
  cluster: Partial<ClusterView>,
  {
    instances = [],
    incomplete = [],
    steps = [],
    atMs = nowMs,
  }: {
    instances?: readonly Instance[];
    incomplete?: readonly string[];
    steps?: Snapshot["steps"];
    atMs?: number;
  } = {},
): Snapshot {
  return {
    nowMs: atMs,
    seed: 1,
    decisionId: "decision",
    settings: { ...defaultSettings, clusterName: "sample", clusterIdentity: identity },
    cluster: { ...emptyCluster, ...cluster },
    cloud: { instances, incomplete, view: undefined },
    steps,
  };
}
