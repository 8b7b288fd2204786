/** Three workloads on the real catalogue with ten NodePools and more, as a company of many teams has them. */

import { ec2WellKnownLabels } from "#ec2/labels.ts";
import { Random } from "../differential/generator/random.ts";
import { allRealTypes } from "../differential/generator/real-types.ts";

interface Shape {
  readonly pools: number;
  readonly apps: number;
  readonly pods: number;
  readonly seed: number;
  /** Share of the apps that spread, keep apart, have a team's nodes to themselves. */
  readonly spread: number;
  readonly apart: number;
  readonly dedicated: number;
}

const zoneKey = "topology.kubernetes.io/zone";
const hostKey = "kubernetes.io/hostname";
const teamKey = "example.org/team";

export const realShapes: Readonly<Record<string, Shape>> = {
  "real-services": { pools: 12, apps: 120, pods: 3_000, seed: 1, spread: 0.7, apart: 0.15, dedicated: 0.3 },
  "real-batch": { pools: 10, apps: 25, pods: 8_000, seed: 2, spread: 0, apart: 0, dedicated: 0.5 },
  "real-mixed": { pools: 16, apps: 300, pods: 5_000, seed: 3, spread: 0.4, apart: 0.1, dedicated: 0.6 },
};

export function realWorkload(shape: Shape): object {
  const random = new Random(shape.seed);
  const names = Array.from({ length: shape.pools }, (_, i) => `pool-${String(i).padStart(2, "0")}`);
  return {
    options: { wellKnownLabels: ec2WellKnownLabels },
    nodePools: names.map((name, i) => pool(name, i, random)),
    instanceTypes: allRealTypes(),
    pods: pods(shape, names, random),
    daemonSets: daemons,
  };
}

/** The first pool takes everybody; the others are a team's own, tainted, some of one kind of machine. */
function pool(name: string, index: number, random: Random): object {
  const capacity = index === 0 ? ["on-demand", "spot"] : random.pick([["on-demand"], ["spot"], ["on-demand", "spot"]]);
  const arch = index === 0 ? ["amd64", "arm64"] : random.pick([["amd64"], ["arm64"], ["amd64", "arm64"]]);
  const category = random.pick([["c", "m", "r"], ["m"], ["c", "m"], ["r", "m"]]);
  const own = index === 0 ? [] : [{ key: "team", value: name, effect: "NoSchedule" }];
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name },
    spec: {
      weight: 100 - index,
      limits: { cpu: "20000" },
      disruption: {
        consolidateAfter: "0s",
        consolidationPolicy: "WhenEmptyOrUnderutilized",
        budgets: [{ nodes: "10%" }],
      },
      template: {
        metadata: { labels: { [teamKey]: name } },
        spec: {
          requirements: [
            { key: "karpenter.sh/capacity-type", operator: "In", values: capacity },
            { key: "kubernetes.io/arch", operator: "In", values: arch },
            { key: "karpenter.k8s.aws/instance-category", operator: "In", values: category },
            { key: "karpenter.k8s.aws/instance-generation", operator: "Gt", values: ["4"] },
          ],
          nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" },
          ...(own.length === 0 ? {} : { taints: own }),
          expireAfter: "720h",
        },
      },
    },
  };
}

function pods(shape: Shape, names: readonly string[], random: Random): readonly object[] {
  const apps = Array.from({ length: shape.apps }, (_, i) => app(`app-${i}`, shape, names, random));
  const made: object[] = [];
  for (let i = 0; i < shape.pods; i++) {
    const { name, spec } = apps[i < apps.length ? i : random.below(apps.length)] ?? { name: "", spec: {} };
    made.push({ metadata: { name: `${name}-${String(i).padStart(5, "0")}`, labels: { app: name } }, spec });
  }
  return made;
}

function app(
  name: string,
  shape: Shape,
  names: readonly string[],
  random: Random,
): { readonly name: string; readonly spec: object } {
  const cpu = random.pick(["100m", "250m", "250m", "500m", "1", "2", "4"]);
  const memory = random.pick(["256Mi", "512Mi", "1Gi", "1Gi", "2Gi", "4Gi", "8Gi"]);
  const labelSelector = { matchLabels: { app: name } };
  const own = random.chance(shape.dedicated) ? random.pick(names.slice(1)) : undefined;
  const spread = random.chance(shape.spread)
    ? [{ maxSkew: 1, topologyKey: zoneKey, whenUnsatisfiable: "DoNotSchedule", labelSelector }]
    : [];
  const term = [{ labelSelector, topologyKey: hostKey }];
  const apart = random.chance(shape.apart)
    ? { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: term } } }
    : {};
  return {
    name,
    spec: {
      containers: [{ name: "main", image: "app", resources: { requests: { cpu, memory } } }],
      ...(own === undefined
        ? {}
        : {
            nodeSelector: { [teamKey]: own },
            tolerations: [{ key: "team", operator: "Equal", value: own, effect: "NoSchedule" }],
          }),
      ...(spread.length === 0 ? {} : { topologySpreadConstraints: spread }),
      ...apart,
    },
  };
}

const daemons = [
  ["network", "50m", "120Mi"],
  ["logs", "100m", "200Mi"],
  ["metrics", "50m", "64Mi"],
].map(([name, cpu, memory]) => ({
  metadata: { name, namespace: "kube-system" },
  spec: {
    selector: { matchLabels: { daemon: name } },
    template: {
      metadata: { labels: { daemon: name } },
      spec: {
        containers: [{ name: "main", image: name, resources: { requests: { cpu, memory } } }],
        tolerations: [{ operator: "Exists" }],
      },
    },
  },
}));
