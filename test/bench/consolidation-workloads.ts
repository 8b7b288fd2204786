/** Clusters on which consolidation is timed. The equal nodes are those of `peer gen -nodes N -cores C -per P -util U -jitter J`. */
import type { DisruptionMode } from "../../cli/solve/disrupt.ts";
import { Random } from "../differential/generator/random.ts";
import { mixPool, mixTypes } from "./generated-mix.ts";

export interface ConsolidationWorkload {
  readonly name: string;
  readonly mode: DisruptionMode;
  readonly problem: () => object;
  /** Karpenter on it takes longer than anybody waits. */
  readonly tooLargeForPeer?: boolean;
}

export const consolidationWorkloads: readonly ConsolidationWorkload[] = [
  { name: "single-1000", mode: "single", problem: () => equalNodes({ nodes: 1_000, util: 0.98, jitter: 0 }) },
  { name: "multi-1000", mode: "multi", problem: () => equalNodes({ nodes: 1_000, util: 0.3, jitter: 0.2 }) },
  { name: "late-1000", mode: "single", problem: () => manyTypes(1_000) },
  {
    name: "single-5000",
    mode: "single",
    problem: () => equalNodes({ nodes: 5_000, util: 0.98, jitter: 0 }),
    tooLargeForPeer: true,
  },
];

const zoneKey = "topology.kubernetes.io/zone";
const letters = ["a", "b", "c", "d", "e", "f", "g"];
const cores = 16;
const podsEach = 8;
const seed = 42;

interface EqualNodes {
  readonly nodes: number;
  readonly util: number;
  readonly jitter: number;
}

export function equalNodes({ nodes: count, util, jitter }: EqualNodes): object {
  const random = new Random(seed);
  const nodes: object[] = [];
  const pods: object[] = [];
  for (let i = 0; i < count; i++) {
    const name = `node-${numbered(i, 4)}`;
    nodes.push({
      name,
      nodePool: "default",
      instanceType: `fake-it-${cores - 1}`,
      zone: `test-zone-${(i % 3) + 1}`,
      capacityType: "on-demand",
    });
    for (let j = 0; j < podsEach; j++) {
      const share = 1 - jitter + (2 * jitter * random.below(1_000)) / 1_000;
      const cpu = Math.trunc((share * util * (cores * 1_000 - 100)) / podsEach);
      const memory = Math.trunc((share * util * (cores * 2 * 1_024 - 10)) / podsEach);
      const labels = { app: letters[random.below(letters.length)] ?? "" };
      const isSpread = random.below(10) === 0;
      pods.push(
        pod(`p-${numbered(i, 4)}-${numbered(j, 2)}`, name, labels, cpu, memory, isSpread ? spread(labels) : {}),
      );
    }
  }
  return {
    options: { wellKnownLabels: ["size", "special", "integer"] },
    nodePools: [mixPool],
    instanceTypes: mixTypes(400),
    nodes,
    pods,
  };
}

const families = [0.9, 1, 1.1, 1.3];
const sizes = [4, 8, 16, 32, 64];
/** So many of the cheapest nodes can go. */
const spare = 5;

/** Each pod needs its node's type, and one of them more than half of it, but on the few spare nodes. */
export function manyTypes(count: number): object {
  const random = new Random(seed);
  const types = families.flatMap((factor, family) => sizes.map((size) => typeOf(family, size, factor)));
  const nodes: object[] = [];
  const pods: object[] = [];
  for (let i = 0; i < count; i++) {
    const isSpare = i < spare;
    const family = isSpare ? 0 : i % families.length;
    const size = isSpare ? 4 : (sizes[Math.floor(i / families.length) % sizes.length] ?? 8);
    const name = `node-${numbered(i, 4)}`;
    const instanceType = `f${family}.${size}`;
    const zone = `test-zone-${(i % 3) + 1}`;
    nodes.push({ name, nodePool: "default", instanceType, zone, capacityType: "on-demand" });
    for (let j = 0; j < podsEach; j++) {
      const share = shareOf(j, isSpare, random);
      const cpu = Math.trunc(share * (size * 1_000 - 100));
      const memory = Math.trunc(share * (size * 2 * 1_024 - 10));
      const labels = { app: letters[random.below(letters.length)] ?? "" };
      const nodeSelector = { "node.kubernetes.io/instance-type": instanceType };
      const rules = { nodeSelector, ...(random.below(5) === 0 ? spread(labels) : {}) };
      pods.push(pod(`p-${numbered(i, 4)}-${numbered(j, 2)}`, name, labels, cpu, memory, rules));
    }
  }
  return {
    options: { wellKnownLabels: ["family"] },
    nodePools: [mixPool],
    instanceTypes: types,
    nodes,
    pods,
    objects: letters.map(budgetOf),
  };
}

/** Of the node, by one of its pods: three quarters in all, each pod's part 1 ± 0.5 of its mean. */
function shareOf(index: number, isSpare: boolean, random: Random): number {
  const factor = 0.5 + random.below(1_000) / 1_000;
  if (isSpare) return (factor * 0.75) / podsEach;
  return index === 0 ? 0.52 : (factor * 0.23) / (podsEach - 1);
}

function budgetOf(app: string): object {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: `budget-${app}`, namespace: "default" },
    spec: { maxUnavailable: "10%", selector: { matchLabels: { app } } },
    status: { disruptionsAllowed: 100 },
  };
}

function typeOf(family: number, size: number, factor: number): object {
  const price = 0.05 * size * factor;
  return {
    name: `f${family}.${size}`,
    requirements: [{ key: "family", operator: "In", values: [String(family)] }],
    capacity: { cpu: String(size), memory: `${2 * size}Gi`, pods: String(10 * size) },
    overhead: { kubeReserved: { cpu: "100m", memory: "10Mi" } },
    offerings: [1, 2, 3].map((zone) => ({ zone: `test-zone-${zone}`, capacityType: "on-demand", price })),
  };
}

function pod(
  name: string,
  nodeName: string,
  labels: { readonly app: string },
  cpuMillis: number,
  memoryMebibytes: number,
  rules: object,
): object {
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: `rs-${labels.app}`, uid: "rs", controller: true };
  const requests = { cpu: `${cpuMillis}m`, memory: `${memoryMebibytes}Mi` };
  return {
    metadata: { name, labels, ownerReferences: [owner] },
    spec: { nodeName, containers: [{ name: "main", image: "pause", resources: { requests } }], ...rules },
  };
}

function spread(matchLabels: Readonly<Record<string, string>>): object {
  const labelSelector = { matchLabels };
  return {
    topologySpreadConstraints: [
      { maxSkew: 20, topologyKey: zoneKey, whenUnsatisfiable: "DoNotSchedule", labelSelector },
    ],
  };
}

function numbered(value: number, width: number): string {
  return String(value).padStart(width, "0");
}
