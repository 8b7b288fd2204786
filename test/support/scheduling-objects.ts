/** Short ways to write the objects of scheduling tests. */
import type { ResourceList } from "#api/core-v1/meta.ts";
import type { Node } from "#api/core-v1/node.ts";
import type { Pod, PodSpec, PodStatus } from "#api/core-v1/pod.ts";
import type { DaemonSet } from "#api/core-v1/workload.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import type { InstanceType, Offering } from "#core/instance-type.ts";
import type { SchedulingProvider } from "#core/provisioning/scheduling-problem.ts";
import { defaultSettings, type Settings } from "#core/settings.ts";
import { type ClusterView, emptyCluster, type Snapshot } from "#core/snapshot.ts";

export const nowMs = Date.parse("2026-01-01T12:00:00Z");
export const zones = ["zone-a", "zone-b", "zone-c"];

/** In the group and kind that `testProvider` serves. */
export const nodeClass = { group: "example.dev", kind: "TestClass", label: "example.dev/testclass" };

const unschedulable: PodStatus = {
  phase: "Pending",
  conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }],
};

/** A pod that waits for a node. */
export function pendingPod(
  name: string,
  requests: ResourceList,
  spec: Partial<PodSpec> = {},
  more: Partial<Pod["metadata"]> = {},
): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", uid: `uid-${name}`, creationTimestamp: "2026-01-01T11:59:00Z", ...more },
    spec: { containers: [{ name: "main", resources: { requests } }], ...spec },
    status: unschedulable,
  };
}

export function pendingPods(
  count: number,
  prefix: string,
  requests: ResourceList,
  spec: Partial<PodSpec> = {},
): readonly Pod[] {
  return Array.from({ length: count }, (_, i) => pendingPod(`${prefix}-${String(i).padStart(5, "0")}`, requests, spec));
}

export function boundPod(
  name: string,
  nodeName: string,
  requests: ResourceList,
  spec: Partial<PodSpec> = {},
  more: Partial<Pod["metadata"]> = {},
): Pod {
  return { ...pendingPod(name, requests, { ...spec, nodeName }, more), status: { phase: "Running" } };
}

/** `cpu` cores with 2 GiB each, 110 pods, all zones on demand at $0.05 a core, and spot at 40 % of it. */
export function instanceType(
  name: string,
  cpu: number,
  more: Partial<InstanceType> = {},
  labels: readonly RequirementSpec[] = [],
): InstanceType {
  const offerings: readonly Offering[] = zones.flatMap((zone) => [
    { zone, capacityType: "on-demand", pricePerHour: cpu * 0.05, available: true },
    { zone, capacityType: "spot", pricePerHour: cpu * 0.02, available: true },
  ]);
  const capacity = { cpu: cpu * 1000, memory: cpu * 2 * 2 ** 30, pods: 110 };
  const own: readonly RequirementSpec[] = [
    { key: "node.kubernetes.io/instance-type", operator: "In", values: [name] },
    { key: "kubernetes.io/os", operator: "In", values: ["linux"] },
    { key: "kubernetes.io/arch", operator: "In", values: ["amd64"] },
    { key: "topology.kubernetes.io/zone", operator: "In", values: zones },
    { key: "karpenter.sh/capacity-type", operator: "In", values: ["on-demand", "spot"] },
  ];
  const replaced = new Set(labels.map(({ key }) => key));
  const requirements = [...own.filter(({ key }) => !replaced.has(key)), ...labels];
  return { name, requirements, offerings, capacity, allocatable: { ...capacity, cpu: cpu * 1000 - 100 }, ...more };
}

/** 1, 2, 4, … 64 cores. */
export const sizes: readonly InstanceType[] = [1, 2, 4, 8, 16, 32, 64].map((cpu) => instanceType(`size-${cpu}`, cpu));

export interface PoolSketch {
  readonly requirements?: readonly RequirementSpec[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: NodePool["spec"]["template"]["spec"]["taints"];
  readonly startupTaints?: NodePool["spec"]["template"]["spec"]["taints"];
  readonly limits?: ResourceList;
  readonly weight?: number;
  readonly replicas?: number;
  readonly group?: string;
  readonly ready?: boolean;
}

export function nodePool(name: string, sketch: PoolSketch = {}): NodePool {
  const {
    requirements = [],
    labels,
    taints,
    startupTaints,
    limits,
    weight,
    replicas,
    group = nodeClass.group,
    ready = true,
  } = sketch;
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name, uid: `uid-${name}`, generation: 1, creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: {
      template: {
        ...(labels === undefined ? {} : { metadata: { labels } }),
        spec: {
          requirements,
          nodeClassRef: { group, kind: nodeClass.kind, name: "default" },
          expireAfter: "720h",
          ...(taints === undefined ? {} : { taints }),
          ...(startupTaints === undefined ? {} : { startupTaints }),
        },
      },
      disruption: {
        consolidateAfter: "0s",
        consolidationPolicy: "WhenEmptyOrUnderutilized",
        budgets: [{ nodes: "10%" }],
      },
      ...(limits === undefined ? {} : { limits }),
      ...(weight === undefined ? {} : { weight }),
      ...(replicas === undefined ? {} : { replicas }),
    },
    status: {
      conditions: [
        {
          type: "Ready",
          status: ready ? "True" : "False",
          reason: "Ready",
          message: "",
          lastTransitionTime: "2026-01-01T00:00:00Z",
        },
      ],
    },
  };
}

export function node(
  name: string,
  allocatable: ResourceList,
  more: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly spec?: Node["spec"];
    readonly meta?: Partial<Node["metadata"]>;
  } = {},
): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, uid: `uid-${name}`, labels: { "kubernetes.io/hostname": name, ...more.labels }, ...more.meta },
    spec: { providerID: `test:///${name}`, ...more.spec },
    status: { capacity: allocatable, allocatable, conditions: [{ type: "Ready", status: "True" }] },
  };
}

export function daemonSet(name: string, requests: ResourceList, spec: Partial<PodSpec> = {}): DaemonSet {
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name, namespace: "kube-system", uid: `uid-${name}` },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { spec: { containers: [{ name: "main", resources: { requests } }], ...spec } },
    },
  };
}

/** A snapshot whose cloud offers these instance types to every NodePool. */
export function snapshotOf(
  cluster: Partial<ClusterView>,
  instanceTypes: readonly InstanceType[] = sizes,
  settings: Partial<Settings> = {},
): Snapshot<readonly InstanceType[]> {
  return {
    nowMs,
    seed: 1,
    decisionId: "tick-1",
    settings: { ...defaultSettings, ...settings },
    cluster: { ...emptyCluster, ...cluster },
    cloud: { instances: [], incomplete: [], view: instanceTypes },
    steps: [],
  };
}

export const testProvider: SchedulingProvider<readonly InstanceType[]> = {
  nodeClass,
  wellKnownLabels: ["example.dev/family", "example.dev/cores"],
  instanceTypes: (snapshot) => ({ kind: "known", instanceTypes: snapshot.cloud.view }),
  instanceTypesOfClaim: (snapshot) => ({ kind: "known", instanceTypes: snapshot.cloud.view }),
};

/** The claim as the API server stores it, not launched yet. */
export function stored(claim: NodeClaim): NodeClaim {
  return {
    ...claim,
    metadata: { ...claim.metadata, uid: `uid-${claim.metadata.name}`, creationTimestamp: "2026-01-01T12:00:00Z" },
  };
}

/** The claim after its launch as `type` in one zone; labels and figures as the provider reports them. */
export function launched(claim: NodeClaim, type: InstanceType, zone: string, capacityType: string): NodeClaim {
  const amounts = (resources: Readonly<Record<string, number>>): ResourceList =>
    Object.fromEntries(Object.entries(resources).map(([name, n]) => [name, name === "cpu" ? `${n}m` : String(n)]));
  const single = type.requirements.flatMap(({ key, operator, values = [] }) =>
    operator === "In" && values.length === 1 ? [[key, values[0] ?? ""]] : [],
  );
  const labels: Record<string, string> = {
    ...claim.metadata.labels,
    ...Object.fromEntries(single),
    "topology.kubernetes.io/zone": zone,
    "karpenter.sh/capacity-type": capacityType,
  };
  const now = "2026-01-01T12:00:00Z";
  return {
    ...stored(claim),
    metadata: { ...stored(claim).metadata, labels },
    status: {
      providerID: `test:///${claim.metadata.name}`,
      capacity: amounts(type.capacity),
      allocatable: amounts(type.allocatable),
      conditions: [{ type: "Launched", status: "True", reason: "Launched", message: "", lastTransitionTime: now }],
    },
  };
}
