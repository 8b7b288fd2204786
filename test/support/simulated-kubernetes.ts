import type { Pod, PodSpec, Taint } from "#api/core-v1/pod.ts";
import type { Delays } from "#simulator/kubernetes/delays.ts";
import { SimulatedCluster } from "#simulator/kubernetes/simulated-cluster.ts";
import type { Machine } from "#simulator/machine.ts";
import { VirtualClock } from "#simulator/virtual-clock.ts";

export const startMs = Date.parse("2026-01-01T00:00:00Z");

/** A simulated cluster without a cloud, and the little that tests do with it. */
export class KubernetesWorld {
  readonly clock = new VirtualClock(startMs);
  readonly cluster: SimulatedCluster;

  constructor(options: { readonly seed?: number; readonly delays?: Partial<Delays> } = {}) {
    const { seed = 7, delays = {} } = options;
    this.cluster = new SimulatedCluster({ clock: this.clock, seed, delays });
  }

  get api() {
    return this.cluster.api;
  }

  /** Loads objects that must be right. */
  load(...objects: readonly object[]): void {
    const [refused] = this.cluster.load(objects);
    if (refused !== undefined) throw new Error(refused.message);
  }

  async runFor(seconds: number): Promise<void> {
    await this.clock.runUntil(this.clock.nowMs() + seconds * 1000);
  }

  pods(): readonly Pod[] {
    return this.api.store.list("Pod");
  }

  pod(name: string): Pod {
    const found = this.api.get("Pod", name, "default");
    if (found.kind === "refused") throw new Error(found.message);
    return found.object;
  }

  /** Node by pod name; "" for a pod without. */
  placement(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.pods().map(({ metadata, spec }) => [metadata.name, spec.nodeName ?? ""]));
  }

  /** Why the scheduler found no node for a pod. */
  unschedulable(name: string): string | undefined {
    const conditions = this.pod(name).status?.conditions ?? [];
    return conditions.find(({ type, status }) => type === "PodScheduled" && status === "False")?.message;
  }
}

export interface NodeOptions {
  readonly zone?: string;
  readonly cpu?: string;
  readonly memory?: string;
  readonly pods?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
}

/** A node of a manifest: it is Ready as soon as it is loaded. */
export function readyNode(name: string, options: NodeOptions = {}): object {
  const { zone = "z1", cpu = "4", memory = "16Gi", pods = "110", labels = {}, taints } = options;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: { "kubernetes.io/hostname": name, "topology.kubernetes.io/zone": zone, ...labels },
    },
    spec: taints === undefined ? {} : { taints },
    status: { capacity: { cpu, memory, pods } },
  };
}

export interface PodOptions extends Partial<PodSpec> {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly cpu?: string;
  readonly memory?: string;
}

export function aPod(name: string, options: PodOptions = {}): object {
  const { labels = { app: name }, annotations = {}, ...spec } = options;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", labels, annotations },
    spec: podSpec(spec),
  };
}

export function podSpec(options: Omit<PodOptions, "labels" | "annotations">): object {
  const { cpu = "500m", memory = "256Mi", ...spec } = options;
  return { containers: [{ name: "main", image: "nginx", resources: { requests: { cpu, memory } } }], ...spec };
}

/** A Deployment, ReplicaSet, StatefulSet, DaemonSet or Job; its pods carry the label `app`. */
export function workload(kind: string, name: string, spec: object, options: PodOptions = {}): object {
  const { labels = {}, annotations = {}, ...rest } = options;
  const matchLabels = { app: name };
  return {
    apiVersion: kind === "Job" ? "batch/v1" : "apps/v1",
    kind,
    metadata: { name, namespace: "default" },
    spec: {
      ...(kind === "Job" ? {} : { selector: { matchLabels } }),
      template: { metadata: { labels: { ...matchLabels, ...labels }, annotations }, spec: podSpec(rest) },
      ...spec,
    },
  };
}

export function aMachine(instanceId: string, options: Partial<Machine["bootstrap"]> = {}): Machine {
  const resources = { cpu: "4", memory: "16Gi", pods: "58" };
  return {
    instanceId,
    providerID: `aws:///us-east-1a/${instanceId}`,
    nodeName: `node-${instanceId}`,
    instanceType: "m5.xlarge",
    zone: "us-east-1a",
    region: "us-east-1",
    arch: "amd64",
    os: "linux",
    bootstrap: { clusterName: "test", labels: {}, taints: [], ...options },
    capacity: resources,
    allocatable: { ...resources, cpu: "3920m" },
  };
}
