import type { KubeObject } from "#api/core-v1/meta.ts";
import type { Taint } from "#api/core-v1/pod.ts";
import { resourceListOf, resourcesOf } from "#core/scheduling/resources/resources.ts";
import type { ProblemNode } from "../../../cli/solve/problem.ts";
import type { Feature } from "./features.ts";
import type { Offer } from "./offer.ts";
import type { App } from "./pods.ts";
import { podOf } from "./pods.ts";
import { teamLabel, teams } from "./pools.ts";
import type { Random } from "./random.ts";
import type { RawInstanceType, RawNodePool, RawPod } from "./raw-problem.ts";
import { csiNode } from "./volumes.ts";

type RawObject = KubeObject & { readonly [field: string]: unknown };

export interface Standing {
  readonly nodes: readonly ProblemNode[];
  /** Bound to the nodes. */
  readonly pods: readonly RawPod[];
  readonly objects: readonly RawObject[];
  readonly markedForDeletion: readonly string[];
}

/** Nodes that are there already, with pods of the problem's apps on them. */
export function standingNodes(
  features: ReadonlySet<Feature>,
  offer: Offer,
  pools: readonly RawNodePool[],
  apps: readonly App[],
  random: Random,
): Standing {
  const nodes = features.has("nodes") ? poolNodes(features, offer, pools, random) : [];
  const foreign = features.has("foreign-nodes") ? foreignNodes(offer, random) : [];
  const pods: RawPod[] = [];
  for (const { name } of [...nodes, ...foreign.map(({ metadata }) => metadata)]) {
    for (let i = random.below(4); i > 0; i--) {
      const pod = podOf(random.pick(apps), 1000 + pods.length, 600 + pods.length);
      pods.push({ ...pod, spec: bound(pod, name) });
    }
  }
  const csi = features.has("volumes") ? nodes.map(({ name }) => csiNode(name, random.between(1, 3))) : [];
  const leaving = features.has("leaving-nodes") ? random.some(nodes, 1).map(({ name }) => name) : [];
  const budgets = features.has("disruption-budgets") ? [disruptionBudget(random.pick(apps), random)] : [];
  const launched = features.has("launched-claims") ? launchedClaims(offer, pools, random) : [];
  return { nodes, pods, objects: [...foreign, ...csi, ...budgets, ...launched], markedForDeletion: leaving };
}

/** A running pod no longer asks for a place, so what it once asked for is left out, but for what others may read. */
function bound({ spec }: RawPod, nodeName: string): RawPod["spec"] {
  const { containers, affinity } = spec;
  const anti = affinity?.podAntiAffinity;
  const main = containers.map((one) => ({ ...one, resources: { requests: { cpu: "200m", memory: "256Mi" } } }));
  return { nodeName, containers: main, ...(anti === undefined ? {} : { affinity: { podAntiAffinity: anti } }) };
}

function poolNodes(
  features: ReadonlySet<Feature>,
  offer: Offer,
  pools: readonly RawNodePool[],
  random: Random,
): readonly ProblemNode[] {
  return Array.from({ length: random.between(1, 5) }, (_, i) => {
    const pool = random.pick(pools);
    const type = random.pick(offer.types);
    const { zone, capacityType } = random.pick(plain(type));
    const taints: Taint[] = [...(pool.spec.template.spec.taints ?? [])];
    const unready = features.has("unready-nodes") && random.chance(0.5);
    if (unready) taints.push({ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" });
    const labels = {
      ...pool.spec.template.metadata?.labels,
      ...(features.has("pool-labels") && random.chance(0.5) ? { [teamLabel]: random.pick(teams) } : {}),
    };
    return {
      name: `node-${i}`,
      nodePool: pool.metadata.name,
      instanceType: type.name,
      zone,
      capacityType,
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(taints.length === 0 ? {} : { taints }),
      ...(unready ? { uninitialized: true } : {}),
    };
  });
}

function plain(type: RawInstanceType): RawInstanceType["offerings"] {
  const some = type.offerings.filter(({ capacityType }) => capacityType !== "reserved");
  return some.length === 0 ? type.offerings : some;
}

/** Instances that were launched and whose node has not joined yet. */
function launchedClaims(offer: Offer, pools: readonly RawNodePool[], random: Random): readonly RawObject[] {
  return Array.from({ length: random.between(1, 3) }, (_, i) => {
    const name = `joining-${i}`;
    const pool = random.pick(pools);
    const type = random.pick(offer.types);
    const { zone, capacityType } = random.pick(plain(type));
    const { taints, startupTaints } = pool.spec.template.spec;
    const fixed = (type.requirements ?? []).flatMap(({ key, operator, values = [] }) =>
      operator === "In" && values.length === 1 ? [[key, values[0] ?? ""]] : [],
    );
    const at = "2026-01-01T11:00:00Z";
    return {
      apiVersion: "karpenter.sh/v1",
      kind: "NodeClaim",
      metadata: {
        name,
        uid: `claim-${name}`,
        creationTimestamp: at,
        labels: {
          ...pool.spec.template.metadata?.labels,
          ...Object.fromEntries(fixed),
          "node.kubernetes.io/instance-type": type.name,
          "topology.kubernetes.io/zone": zone,
          "karpenter.sh/capacity-type": capacityType,
          "karpenter.sh/nodepool": pool.metadata.name,
        },
      },
      spec: {
        requirements: [],
        nodeClassRef: pool.spec.template.spec.nodeClassRef,
        ...(taints === undefined ? {} : { taints }),
        ...(startupTaints === undefined ? {} : { startupTaints }),
        expireAfter: "720h",
      },
      status: {
        providerID: `joining:///${name}`,
        capacity: type.capacity,
        allocatable: allocatableOf(type),
        conditions: [{ type: "Launched", status: "True", reason: "Launched", message: "", lastTransitionTime: at }],
      },
    };
  });
}

function allocatableOf({ capacity, overhead }: RawInstanceType): Readonly<Record<string, string>> {
  const taken = Object.values(overhead).map((list) => resourcesOf(list, "up"));
  const left = Object.entries(resourcesOf(capacity, "down")).map(([name, amount]) => {
    return [name, taken.reduce((rest, one) => rest - (one[name] ?? 0), amount)] as const;
  });
  return resourceListOf(Object.fromEntries(left));
}

/** Nodes that nobody manages: no NodePool, no instance type. */
function foreignNodes(offer: Offer, random: Random): readonly RawObject[] {
  return Array.from({ length: random.between(1, 3) }, (_, i) => {
    const name = `static-${i}`;
    const amounts = {
      cpu: String(random.between(1, 8)),
      memory: `${random.between(2, 16)}Gi`,
      pods: String(random.between(2, 20)),
    };
    const zone = random.chance(0.8) ? { "topology.kubernetes.io/zone": random.pick(offer.zones) } : {};
    const taints = random.chance(0.2) ? [{ key: "dedicated", value: "batch", effect: "NoSchedule" }] : [];
    return {
      apiVersion: "v1",
      kind: "Node",
      metadata: {
        name,
        labels: { "kubernetes.io/hostname": name, "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux", ...zone },
      },
      spec: { providerID: `static:///${name}`, ...(taints.length === 0 ? {} : { taints }) },
      status: { capacity: amounts, allocatable: amounts, conditions: [{ type: "Ready", status: "True" }] },
    };
  });
}

function disruptionBudget(app: App, random: Random): RawObject {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "budget", namespace: app.namespace },
    spec: {
      ...random.pick([{ maxUnavailable: 0 }, { minAvailable: "100%" }, { maxUnavailable: 1 }]),
      selector: { matchLabels: { app: app.name } },
    },
    status: { disruptionsAllowed: random.below(2) },
  };
}
