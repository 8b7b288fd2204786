/** Random clusters in which nodes may be too many or too dear: the same seed gives the same cluster. */
import type { KubeObject } from "#api/core-v1/meta.ts";
import type { ProblemNode } from "../../../cli/solve/problem.ts";
import { problemOf } from "../../../cli/solve/read-problem.ts";
import { solveProblem } from "../../../cli/solve/solve.ts";
import type { Feature } from "../generator/features.ts";
import { madeUpOffer } from "../generator/made-up-types.ts";
import type { Offer } from "../generator/offer.ts";
import type { Draw } from "../generator/pod-spec.ts";
import { type App, app, podOf } from "../generator/pods.ts";
import { nodePools } from "../generator/pools.ts";
import { Random } from "../generator/random.ts";
import type { RawInstanceType, RawNodePool, RawPod, RawProblem } from "../generator/raw-problem.ts";
import { realOffer } from "../generator/real-types.ts";

type RawObject = KubeObject & { readonly [field: string]: unknown };

export interface GeneratedCluster {
  readonly name: string;
  readonly features: readonly Feature[];
  readonly problem: RawProblem;
}

/** Those of the scheduler's problems that matter when nodes go. */
const usable: readonly Feature[] = [
  "node-selector",
  "node-affinity",
  "or-terms",
  "preferred-node-affinity",
  "zone-spread",
  "host-spread",
  "schedule-anyway",
  "affinity",
  "anti-affinity",
  "preferred-pod-affinity",
  "host-ports",
  "pool-requirements",
  "pool-labels",
  "taints",
  "limits",
  "daemons",
  "sold-out",
  "ignore-preferences",
];

const realEach = 6;
const rounds = 4;

export function generateCluster(seed: number): GeneratedCluster {
  const random = new Random(seed + 7_000_000);
  const density = random.pick([0, 0.05, 0.15, 0.3]);
  const features = new Set<Feature>([
    ...usable.filter(() => random.chance(density)),
    usable[seed % usable.length] ?? "zone-spread",
  ]);
  if (features.has("or-terms")) features.add("node-affinity");
  const offer =
    seed % realEach === realEach - 1 ? realOffer(random, random.between(20, 40)) : offerOf(features, random);
  const pools = nodePools(features, offer, random)
    .slice(0, 3)
    .map((pool) => withDisruption(pool, random));
  const names = Array.from({ length: random.between(2, 8) }, (_, i) => `app-${i}`);
  const scale = random.pick<readonly [number, number]>([
    [0, 8],
    [0, 5],
    [2, 7],
  ]);
  const draw: Draw = { features, offer, random, apps: names, namespaces: ["default"], scale };
  const apps = names.map((name) => app(name, draw));
  const nodes = nodesOf(pools, offer, random);
  const options = {
    preferencePolicy: features.has("ignore-preferences") ? ("Ignore" as const) : ("Respect" as const),
    wellKnownLabels: offer.wellKnownLabels,
    ...(random.chance(0.4) ? { spotToSpotConsolidation: true } : {}),
  };
  const empty: RawProblem = {
    options,
    nodePools: pools,
    instanceTypes: offer.types,
    nodes,
    pods: [],
    daemonSets: [],
    objects: [],
  };
  const pods = boundPods(empty, apps, random.between(nodes.length, nodes.length * 5), random);
  const objects = random.chance(0.3) ? [disruptionBudget(random.pick(apps), random)] : [];
  return {
    name: `cluster-${seed}`,
    features: [...features].sort(),
    problem: { ...empty, pods: random.shuffled(pods), objects },
  };
}

function offerOf(features: ReadonlySet<Feature>, random: Random): Offer {
  return madeUpOffer(random, false, features.has("sold-out") ? 0.4 : 0.03);
}

function withDisruption(pool: RawNodePool, random: Random): RawNodePool {
  const consolidationPolicy = random.pick([
    "WhenEmptyOrUnderutilized",
    "WhenEmptyOrUnderutilized",
    "WhenEmptyOrUnderutilized",
    "WhenEmptyOrUnderutilized",
    "WhenEmpty",
  ]);
  const nodes = random.pick(["100%", "100%", "100%", "50%", "3", "10%"]);
  return {
    ...pool,
    spec: { ...pool.spec, disruption: { consolidateAfter: "0s", consolidationPolicy, budgets: [{ nodes }] } },
  };
}

/** Nodes as the pools would make them, of any type. */
function nodesOf(pools: readonly RawNodePool[], offer: Offer, random: Random): readonly ProblemNode[] {
  const count = random.pick([4, 8, 12, 20, 30]);
  return Array.from({ length: count }, (_, i) => {
    const pool = random.pick(pools);
    const types = offer.types.filter((type) => suits(type, pool));
    const type = random.pick(types.length === 0 ? offer.types : types);
    const { zone, capacityType } = random.pick(type.offerings);
    const taints = pool.spec.template.spec.taints ?? [];
    const labels = pool.spec.template.metadata?.labels;
    return {
      name: `node-${String(i).padStart(2, "0")}`,
      nodePool: pool.metadata.name,
      instanceType: type.name,
      zone,
      capacityType,
      ...(labels === undefined ? {} : { labels }),
      ...(taints.length === 0 ? {} : { taints }),
    };
  });
}

function suits(type: RawInstanceType, pool: RawNodePool): boolean {
  return pool.spec.template.spec.requirements.every(({ key, operator, values = [] }) => {
    const own = (type.requirements ?? []).find((one) => one.key === key)?.values?.[0];
    if (own === undefined) return true;
    if (operator === "In") return values.includes(own);
    return operator !== "NotIn" || !values.includes(own);
  });
}

/** Pods come in waves, each when only some of the nodes are there: later ones fill gaps, and nothing breaks a rule. */
function boundPods(empty: RawProblem, apps: readonly App[], count: number, random: Random): readonly RawPod[] {
  let bound: readonly RawPod[] = [];
  for (let round = 0; round < rounds; round++) {
    const there = new Set(random.some(empty.nodes, Math.ceil(empty.nodes.length / 2)).map(({ name }) => name));
    const own = Math.ceil(count / rounds);
    const waiting = Array.from({ length: own }, (_, i) => podOf(random.pick(apps), round * own + i, random.below(90)));
    const standing = bound.filter(({ spec }) => there.has(spec.nodeName ?? ""));
    const { placement } = solveProblem(
      problemOf({
        ...empty,
        nodePools: empty.nodePools.map((pool) => ({ ...pool, spec: { ...pool.spec, limits: { cpu: "0" } } })),
        nodes: empty.nodes.filter(({ name }) => there.has(name)),
        pods: [...standing, ...waiting],
      }),
    );
    const homes = new Map(placement.existingNodes.flatMap(({ name, pods }) => pods.map((pod) => [pod, name] as const)));
    const placed = waiting.flatMap((pod) => {
      const nodeName = homes.get(`${pod.metadata.namespace ?? "default"}/${pod.metadata.name}`);
      return nodeName === undefined ? [] : [{ ...pod, spec: { ...pod.spec, nodeName } }];
    });
    bound = [...bound, ...placed];
  }
  return bound;
}

function disruptionBudget({ name, namespace }: App, random: Random): RawObject {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "budget", namespace },
    spec: { maxUnavailable: 1, selector: { matchLabels: { app: name } } },
    status: { disruptionsAllowed: random.below(2) },
  };
}
