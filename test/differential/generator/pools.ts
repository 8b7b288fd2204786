import type { Taint } from "#api/core-v1/pod.ts";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import type { Feature } from "./features.ts";
import type { Offer } from "./offer.ts";
import type { Random } from "./random.ts";
import type { RawNodePool } from "./raw-problem.ts";

/** A custom label that pools set or require and pods select. */
export const teamLabel = "example.org/team";
export const tierLabel = "example.org/tier";
export const teams = ["red", "green", "blue"];

/** Taints that pools carry and pods may tolerate. */
export const taints: readonly Taint[] = [
  { key: "dedicated", value: "batch", effect: "NoSchedule" },
  { key: "dedicated", value: "web", effect: "NoSchedule" },
  { key: "experimental", effect: "NoExecute" },
];
export const softTaint: Taint = { key: "costly", effect: "PreferNoSchedule" };
export const numberTaint: Taint = { key: "failures-per-year", value: "30", effect: "NoSchedule" };

export function nodePools(features: ReadonlySet<Feature>, offer: Offer, random: Random): readonly RawNodePool[] {
  const count = random.pick([1, 1, 2, 2, 3, 4, 6, 8]);
  return Array.from({ length: count }, (_, i) => nodePool(`pool-${i}`, features, offer, random));
}

function nodePool(name: string, features: ReadonlySet<Feature>, offer: Offer, random: Random): RawNodePool {
  const own = poolTaints(features, random);
  const limits = features.has("limits") && random.chance(0.7) ? poolLimits(random) : undefined;
  const labels =
    features.has("pool-labels") && random.chance(0.5) ? { [tierLabel]: random.pick(["one", "two"]) } : undefined;
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name },
    spec: {
      ...(random.chance(0.5) ? { weight: random.between(1, 3) * 10 } : {}),
      ...(limits === undefined ? {} : { limits }),
      disruption: {
        consolidateAfter: "0s",
        consolidationPolicy: "WhenEmptyOrUnderutilized",
        budgets: [{ nodes: "100%" }],
      },
      template: {
        ...(labels === undefined ? {} : { metadata: { labels } }),
        spec: {
          requirements: poolRequirements(features, offer, random),
          nodeClassRef: { group: "karpenter.test.sh", kind: "TestNodeClass", name: "default" },
          ...(own.length === 0 ? {} : { taints: own }),
          ...(random.chance(0.1) ? { startupTaints: [{ key: "starting", effect: "NoSchedule" as const }] } : {}),
          expireAfter: "720h",
        },
      },
    },
  };
}

function poolTaints(features: ReadonlySet<Feature>, random: Random): readonly Taint[] {
  const chosen: Taint[] = [];
  if (features.has("taints") && random.chance(0.45)) chosen.push(random.pick(taints));
  if (features.has("prefer-taints") && random.chance(0.5)) chosen.push(softTaint);
  if (features.has("numeric-tolerations") && random.chance(0.4)) chosen.push(numberTaint);
  return chosen;
}

function poolLimits(random: Random): Readonly<Record<string, string>> {
  const limits: Record<string, string> = {};
  if (random.chance(0.6)) limits.cpu = String(random.between(2, 60));
  if (random.chance(0.3)) limits.memory = `${random.between(8, 200)}Gi`;
  if (random.chance(0.4)) limits.nodes = String(random.between(1, 4));
  return Object.keys(limits).length === 0 ? { cpu: "40" } : limits;
}

function poolRequirements(features: ReadonlySet<Feature>, offer: Offer, random: Random): readonly RequirementSpec[] {
  const drawn = [
    ...capacityRequirement(features, offer, random),
    ...(features.has("pool-requirements") ? machineRequirements(offer, random) : []),
    ...(features.has("pool-labels") ? teamRequirement(random) : []),
  ];
  const list = drawn.filter((one, i) => drawn.findIndex(({ key }) => key === one.key) === i);
  return features.has("min-values") ? withMinValues(list, offer, random) : list;
}

function capacityRequirement(features: ReadonlySet<Feature>, offer: Offer, random: Random): readonly RequirementSpec[] {
  const key = "karpenter.sh/capacity-type";
  if (features.has("reserved")) {
    return [{ key, operator: "In", values: random.chance(0.5) ? ["reserved", "on-demand"] : offer.capacityTypes }];
  }
  if (!random.chance(0.7)) return [];
  return [{ key, operator: "In", values: random.pick([["on-demand"], ["spot"], ["on-demand", "spot"]]) }];
}

function machineRequirements(offer: Offer, random: Random): readonly RequirementSpec[] {
  const list: RequirementSpec[] = [];
  const zone = "topology.kubernetes.io/zone";
  if (random.chance(0.4)) {
    list.push({ key: zone, operator: "In", values: random.some(offer.zones, random.between(1, 2)) });
  } else if (random.chance(0.2)) {
    list.push({ key: zone, operator: "NotIn", values: [random.pick(offer.zones)] });
  }
  if (random.chance(0.4)) list.push({ key: "kubernetes.io/arch", operator: "In", values: random.some(offer.archs, 1) });
  const [key, values] = random.pick(Object.entries(offer.labels));
  if (values.length > 1 && random.chance(0.5)) {
    const half = random.some(values, Math.ceil(values.length / 2));
    list.push({ key, operator: random.pick(["In", "NotIn"]), values: half });
  }
  if (random.chance(0.3)) {
    const bound = String(random.pick([1, 3, 8, 15]));
    list.push({ key: offer.numberLabel, operator: random.pick(["Gt", "Lt"]), values: [bound] });
  }
  return list;
}

function teamRequirement(random: Random): readonly RequirementSpec[] {
  const some = random.some(teams, random.between(1, 2));
  const draws: readonly (readonly RequirementSpec[])[] = [
    [{ key: teamLabel, operator: "Exists" }],
    [{ key: teamLabel, operator: "In", values: some }],
    [{ key: teamLabel, operator: "In", values: some }],
    [{ key: teamLabel, operator: "NotIn", values: some }],
    [],
  ];
  return random.pick(draws);
}

function withMinValues(list: readonly RequirementSpec[], offer: Offer, random: Random): readonly RequirementSpec[] {
  const minValues = random.between(2, 4);
  const key = random.pick(["node.kubernetes.io/instance-type", ...Object.keys(offer.labels).slice(0, 1)]);
  if (list.some((one) => one.key === key)) return list;
  return [...list, { key, operator: "Exists", minValues }];
}
