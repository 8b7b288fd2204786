import { hostnameLabel, zoneLabel } from "#api/karpenter-v1/labels.ts";
import type { ClusterCache } from "./cluster-cache.ts";
import { termMatches } from "./node-affinity.ts";
import { type NodeInfo, scoredCpu, scoredMemory } from "./node-info.ts";
import type { PodInfo } from "./pod-info.ts";
import { tolerates } from "./taints.ts";
import { matching } from "./topology-spread.ts";

/** Raw scores of nodes, in the nodes' order. */
type Scorer = (info: PodInfo, nodes: readonly NodeInfo[], cache: ClusterCache) => readonly number[];

/** kube-scheduler's default weights; image locality is left out, as the simulated nodes all pull alike. */
const scorers: readonly { readonly weight: number; readonly score: Scorer }[] = [
  { weight: 1, score: leastAllocated },
  { weight: 1, score: balancedAllocation },
  { weight: 2, score: preferredNodeAffinity },
  { weight: 3, score: untaintedNodes },
  { weight: 2, score: softSpread },
  { weight: 2, score: preferredPodAffinity },
];

/** The best of the nodes for the pod; among equals the drawn one. */
export function bestNode(
  info: PodInfo,
  nodes: readonly NodeInfo[],
  cache: ClusterCache,
  random: () => number,
): NodeInfo | undefined {
  if (nodes.length <= 1) return nodes[0];
  const totals = nodes.map(() => 0);
  for (const { weight, score } of scorers) {
    score(info, nodes, cache).forEach((value, index) => {
      totals[index] = (totals[index] ?? 0) + weight * value;
    });
  }
  const best = Math.max(...totals);
  const equals = nodes.filter((_, index) => totals[index] === best);
  return equals[Math.floor(random() * equals.length)];
}

function leastAllocated(info: PodInfo, nodes: readonly NodeInfo[]): readonly number[] {
  return nodes.map((node) => {
    const [cpu, memory] = shares(info, node);
    return (100 * (1 - cpu) + 100 * (1 - memory)) / 2;
  });
}

function balancedAllocation(info: PodInfo, nodes: readonly NodeInfo[]): readonly number[] {
  return nodes.map((node) => {
    const [cpu, memory] = shares(info, node);
    return 100 * (1 - Math.abs(cpu - memory) / 2);
  });
}

/** Used parts of CPU and memory with the pod on the node, at most 1. */
function shares(info: PodInfo, node: NodeInfo): readonly [number, number] {
  const cpu = (node.scoredCpuMillis + scoredCpu(info.requests)) / (node.allocatable.cpu ?? 1);
  const memory = (node.scoredMemoryBytes + scoredMemory(info.requests)) / (node.allocatable.memory ?? 1);
  return [Math.min(1, cpu), Math.min(1, memory)];
}

function preferredNodeAffinity(info: PodInfo, nodes: readonly NodeInfo[]): readonly number[] {
  const terms = info.pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  if (terms.length === 0) return nodes.map(() => 0);
  const raw = nodes.map(({ node }) =>
    terms.reduce((sum, { weight, preference }) => sum + (node && termMatches(preference, node) ? weight : 0), 0),
  );
  return normalized(raw);
}

/** Fewer PreferNoSchedule taints that the pod does not tolerate are better. */
function untaintedNodes(info: PodInfo, nodes: readonly NodeInfo[]): readonly number[] {
  const tolerations = info.pod.spec.tolerations ?? [];
  const raw = nodes.map(
    ({ node }) =>
      (node?.spec.taints ?? []).filter(
        (taint) =>
          taint.effect === "PreferNoSchedule" && !tolerations.some((toleration) => tolerates(toleration, taint)),
      ).length,
  );
  return reversed(raw);
}

interface SoftSpread {
  readonly topologyKey: string;
  readonly countOn: (node: NodeInfo) => number;
}

/** ScheduleAnyway constraints; a pod without any constraint is spread over hosts and zones among its controller's pods. */
function softSpread(info: PodInfo, nodes: readonly NodeInfo[], cache: ClusterCache): readonly number[] {
  const spreads = info.spreads.length > 0 ? ownSpreads(info) : defaultSpreads(info);
  if (spreads.length === 0) return nodes.map(() => 0);
  const totals = nodes.map(() => 0);
  for (const { topologyKey, countOn } of spreads) {
    const counts = countsByValue(topologyKey, countOn, topologyKey === hostnameLabel ? nodes : cache.nodes());
    // A node without the key is as full as the fullest domain.
    const fullest = Math.max(0, ...counts.values());
    const weight = Math.log(counts.size + 2);
    nodes.forEach(({ node }, index) => {
      const value = node?.metadata.labels?.[topologyKey];
      const count = value === undefined ? fullest : (counts.get(value) ?? 0);
      totals[index] = (totals[index] ?? 0) + count * weight;
    });
  }
  return reversed(totals);
}

function countsByValue(
  topologyKey: string,
  countOn: (node: NodeInfo) => number,
  nodes: readonly NodeInfo[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const info of nodes) {
    const value = info.node?.metadata.labels?.[topologyKey];
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + countOn(info));
  }
  return counts;
}

function ownSpreads(info: PodInfo): readonly SoftSpread[] {
  return info.spreads
    .filter(({ spec }) => spec.whenUnsatisfiable === "ScheduleAnyway")
    .map((constraint) => ({
      topologyKey: constraint.spec.topologyKey,
      countOn: ({ pods }) => matching(constraint, pods.values()),
    }));
}

/** kube-scheduler's system defaults: by host and by zone; their maxSkew does not matter for a score. */
function defaultSpreads({ controller }: PodInfo): readonly SoftSpread[] {
  if (controller === undefined) return [];
  return [hostnameLabel, zoneLabel].map((topologyKey) => ({
    topologyKey,
    countOn: (node) => node.countOf(controller),
  }));
}

/** The pod's own preferences, and those of pods that are there already about it. */
function preferredPodAffinity(info: PodInfo, nodes: readonly NodeInfo[], cache: ClusterCache): readonly number[] {
  const weights = new Map<string, number>();
  const add = (key: string, node: NodeInfo | undefined, weight: number): void => {
    const value = node?.node?.metadata.labels?.[key];
    if (value !== undefined) weights.set(`${key}=${value}`, (weights.get(`${key}=${value}`) ?? 0) + weight);
  };
  addOwnPreferences(info, cache, add);
  for (const other of cache.podsWithPreferences()) {
    const node = cache.nodeOf(other.pod.metadata.uid ?? "");
    // Required affinity of a pod that is there counts as a preference of weight 1 for its likes to join it.
    for (const [terms, sign] of [
      [other.affinity, 1],
      [other.preferredAffinity, 1],
      [other.preferredAntiAffinity, -1],
    ] as const) {
      for (const term of terms) {
        if (term.selects(info.pod, cache.namespaceLabels)) add(term.topologyKey, node, sign * term.weight);
      }
    }
  }
  if (weights.size === 0) return nodes.map(() => 0);
  const keys = [...new Set([...weights.keys()].map((domain) => domain.slice(0, domain.indexOf("="))))];
  const raw = nodes.map(({ node }) =>
    keys.reduce((sum, key) => sum + (weights.get(`${key}=${node?.metadata.labels?.[key]}`) ?? 0), 0),
  );
  return normalized(raw);
}

function addOwnPreferences(
  info: PodInfo,
  cache: ClusterCache,
  add: (key: string, node: NodeInfo, weight: number) => void,
): void {
  const own = [
    ...info.preferredAffinity.map((term) => ({ term, weight: term.weight })),
    ...info.preferredAntiAffinity.map((term) => ({ term, weight: -term.weight })),
  ];
  if (own.length === 0) return;
  for (const node of cache.nodes()) {
    for (const { pod } of node.pods.values()) {
      for (const { term, weight } of own)
        if (term.selects(pod, cache.namespaceLabels)) add(term.topologyKey, node, weight);
    }
  }
}

/** To 0…100, the largest 100. */
function normalized(raw: readonly number[]): readonly number[] {
  const low = Math.min(0, ...raw);
  const high = Math.max(...raw);
  return raw.map((value) => (high === low ? 0 : (100 * (value - low)) / (high - low)));
}

/** To 0…100, the smallest best. */
function reversed(raw: readonly number[]): readonly number[] {
  const high = Math.max(...raw);
  return raw.map((value) => (high === 0 ? 100 : (100 * (high - value)) / high));
}
