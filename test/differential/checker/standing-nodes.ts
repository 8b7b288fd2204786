/** The nodes that a problem has already. */
import type { CSINode } from "#api/core-v1/cluster-objects.ts";
import type { Node } from "#api/core-v1/node.ts";
import type { Pod, Taint } from "#api/core-v1/pod.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { Problem, ProblemNode } from "../../../cli/solve/problem.ts";
import { type Amounts, amountsOf, atLeastZero, minus, podRequests, total } from "./amounts.ts";
import { daemonAmounts, daemonsOn, isDaemonPod, lifecycleLabels } from "./daemons.ts";
import type { Labels } from "./matching.ts";

export interface StandingNode {
  readonly name: string;
  readonly pool: string | undefined;
  readonly labels: Labels;
  /** Those that a pod must tolerate once the node is ready. */
  readonly taints: readonly Taint[];
  readonly capacity: Amounts;
  /** What pods that are there and daemons that will be leave. */
  readonly free: Amounts;
  /** Bound pods that are neither terminal nor terminating take part in the rules between pods. */
  readonly pods: readonly Pod[];
  /** It is going away: nothing is placed there. */
  readonly leaving: boolean;
  /** By driver, how many volumes can be attached. */
  readonly volumeLimits: ReadonlyMap<string, number>;
}

interface Bare {
  readonly name: string;
  readonly pool: string | undefined;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly capacity: Amounts;
  readonly allocatable: Amounts;
  readonly leaving: boolean;
}

const poolKey = "karpenter.sh/nodepool";

export function standingNodes(problem: Problem): readonly StandingNode[] {
  const leaving = new Set(problem.options.markedForDeletion);
  const short = problem.nodes.map((node) => shortNode(problem, node));
  const bare = [...short, ...fullNodes(problem), ...joiningNodes(problem)];
  return bare.map(({ allocatable, ...node }) => {
    const pods = problem.pods.filter(({ spec, status }) => spec.nodeName === node.name && !isTerminal(status?.phase));
    const expected = daemonAmounts(daemonsOn(problem.daemonSets, labelsOnceUp(node), node.taints));
    const running = total(pods.filter(isDaemonPod).map(podRequests));
    const used = total([...pods.map(podRequests), atLeastZero(minus(expected, running))]);
    return {
      ...node,
      leaving: node.leaving || leaving.has(node.name),
      pods,
      free: minus(allocatable, used),
      volumeLimits: volumeLimits(problem, node.name),
    };
  });
}

/** Foreign nodes stay as they are. */
export function labelsOnceUp({ labels, pool }: Pick<StandingNode, "labels" | "pool">): Labels {
  return pool === undefined ? labels : { ...labels, ...lifecycleLabels };
}

function shortNode(problem: Problem, node: ProblemNode): Bare {
  const type = problem.instanceTypes.find(({ name }) => name === node.instanceType);
  const fixed = (type?.requirements ?? []).flatMap(({ key, operator, values = [] }) => {
    return operator === "In" && values.length === 1 ? [[key, values[0] ?? ""]] : [];
  });
  const basic = type === undefined ? {} : { "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux" };
  const given: readonly (readonly [string, string | undefined])[] = [
    ["kubernetes.io/hostname", node.name],
    ["node.kubernetes.io/instance-type", node.instanceType],
    ["topology.kubernetes.io/zone", node.zone],
    ["karpenter.sh/capacity-type", node.capacityType],
    [poolKey, node.nodePool],
  ];
  const stated = given.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]));
  const capacity = amountsOf(node.capacity ?? type?.capacity);
  const { kubeReserved, systemReserved, evictionThreshold } = type?.overhead ?? {};
  const reserved = [kubeReserved, systemReserved, evictionThreshold].map(amountsOf);
  const starting = node.uninitialized === true && node.nodePool !== undefined;
  return {
    name: node.name,
    pool: node.nodePool,
    labels: { ...basic, ...Object.fromEntries(fixed), ...Object.fromEntries(stated), ...node.labels },
    taints: (node.taints ?? []).filter((taint) => !(starting && isPassing(taint))),
    capacity,
    allocatable: node.allocatable === undefined ? reserved.reduce(minus, capacity) : amountsOf(node.allocatable),
    leaving: false,
  };
}

/** Nodes given in full. A claim of theirs adds nothing that these problems use but its deletion. */
function fullNodes({ objects }: Problem): readonly Bare[] {
  const claims = objects.filter(({ kind }) => kind === "NodeClaim") as unknown as readonly NodeClaim[];
  const nodes = objects.filter(({ kind }) => kind === "Node") as unknown as readonly Node[];
  return nodes.map(({ metadata, spec, status }) => {
    const claim = claims.find((one) => one.status?.providerID === spec.providerID);
    const labels = { ...metadata.labels };
    return {
      name: metadata.name,
      pool: labels[poolKey],
      labels,
      taints: spec.taints ?? [],
      capacity: amountsOf(status?.capacity),
      allocatable: amountsOf(status?.allocatable ?? status?.capacity),
      leaving: metadata.deletionTimestamp !== undefined || claim?.metadata.deletionTimestamp !== undefined,
    };
  });
}

/** Claims whose instance was launched and whose node has not joined: they become what they say. */
function joiningNodes({ objects }: Problem): readonly Bare[] {
  const claims = objects.filter(({ kind }) => kind === "NodeClaim") as unknown as readonly NodeClaim[];
  const nodes = objects.filter(({ kind }) => kind === "Node") as unknown as readonly Node[];
  const joined = new Set(nodes.map(({ spec }) => spec.providerID));
  return claims
    .filter(({ status }) => status?.providerID !== undefined && !joined.has(status.providerID))
    .map(({ metadata, spec, status }) => ({
      name: metadata.name,
      pool: metadata.labels?.[poolKey],
      labels: { ...metadata.labels, "kubernetes.io/hostname": metadata.name },
      taints: spec.taints ?? [],
      capacity: amountsOf(status?.capacity),
      allocatable: amountsOf(status?.allocatable),
      leaving: metadata.deletionTimestamp !== undefined,
    }));
}

/** Kubernetes and Karpenter: taints that a starting node loses by itself. */
function isPassing({ key, effect }: Taint): boolean {
  const passing = [
    "node.kubernetes.io/not-ready NoSchedule",
    "node.kubernetes.io/not-ready NoExecute",
    "node.kubernetes.io/unreachable NoSchedule",
    "node.cloudprovider.kubernetes.io/uninitialized NoSchedule",
    "karpenter.sh/unregistered NoExecute",
  ];
  return passing.includes(`${key} ${effect}`) || key.startsWith("readiness.k8s.io/");
}

function volumeLimits({ objects }: Problem, nodeName: string): ReadonlyMap<string, number> {
  const csi = objects.find(({ kind, metadata }) => kind === "CSINode" && metadata.name === nodeName) as
    | CSINode
    | undefined;
  return new Map(
    (csi?.spec.drivers ?? []).flatMap(({ name, allocatable }) =>
      allocatable?.count === undefined ? [] : [[name, allocatable.count]],
    ),
  );
}

function isTerminal(phase: string | undefined): boolean {
  return phase === "Succeeded" || phase === "Failed";
}
