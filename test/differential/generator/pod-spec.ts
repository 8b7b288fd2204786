/** Pieces of pod specs, each drawn on its own. */
import type {
  Affinity,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
  PodSpec,
  Toleration,
  TopologySpreadConstraint,
} from "#api/core-v1/pod.ts";
import type { Feature } from "./features.ts";
import type { Offer } from "./offer.ts";
import { numberTaint, softTaint, taints, teamLabel, teams, tierLabel } from "./pools.ts";
import type { Random } from "./random.ts";

export interface Draw {
  readonly features: ReadonlySet<Feature>;
  readonly offer: Offer;
  readonly random: Random;
  /** Labels `app` of the problem's pods. */
  readonly apps: readonly string[];
  readonly namespaces: readonly string[];
  /** Which part of the lists of requests is drawn from: larger pods need more nodes. */
  readonly scale: readonly [number, number];
}

/** Of the workload that the rule is for. */
interface OwnLabels {
  readonly app: string;
  readonly version: string;
}

const zoneKey = "topology.kubernetes.io/zone";
const hostKey = "kubernetes.io/hostname";
const capacityKey = "karpenter.sh/capacity-type";

export function nodeSelector({ features, offer, random }: Draw): PodSpec["nodeSelector"] | undefined {
  if (!features.has("node-selector") || !random.chance(0.4)) return undefined;
  const [key, values] = random.pick(selectable(offer, features));
  return { [key]: random.pick(values) };
}

function selectable(offer: Offer, features: ReadonlySet<Feature>): readonly (readonly [string, readonly string[]])[] {
  const custom: readonly (readonly [string, readonly string[]])[] = features.has("pool-labels")
    ? [
        [teamLabel, teams],
        [tierLabel, ["one", "two"]],
      ]
    : [];
  return [
    [zoneKey, offer.zones],
    [capacityKey, offer.capacityTypes],
    ["kubernetes.io/arch", offer.archs],
    ...Object.entries(offer.labels).filter(([, values]) => values.length > 0),
    ...custom,
  ];
}

function expression({ features, offer, random }: Draw): NodeSelectorRequirement {
  if (random.chance(0.15)) {
    return {
      key: offer.numberLabel,
      operator: random.pick(["Gt", "Lt"]),
      values: [String(random.pick([1, 2, 4, 7, 15]))],
    };
  }
  const [key, values] = random.pick(selectable(offer, features));
  const operator = random.pick(["In", "In", "NotIn", "Exists", "DoesNotExist"] as const);
  if (operator === "Exists") return { key, operator };
  // Of a label that each node has this asks for no node at all.
  if (operator === "DoesNotExist")
    return key === teamLabel || key === tierLabel ? { key, operator } : { key, operator: "Exists" };
  return { key, operator, values: random.some(values, random.between(1, Math.max(1, values.length - 1))) };
}

function term(draw: Draw): NodeSelectorTerm {
  const count = draw.random.chance(0.7) ? 1 : 2;
  return { matchExpressions: Array.from({ length: count }, () => expression(draw)) };
}

export function affinity(draw: Draw, own: OwnLabels): Affinity | undefined {
  const { features, random } = draw;
  const required = features.has("node-affinity") && random.chance(0.5);
  const terms = Array.from({ length: features.has("or-terms") ? random.between(2, 3) : 1 }, () => term(draw));
  const preferred = features.has("preferred-node-affinity") && random.chance(0.5);
  const nodeAffinity = {
    ...(required ? { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } : {}),
    ...(preferred
      ? {
          preferredDuringSchedulingIgnoredDuringExecution: [1, 50].map((weight) => ({
            weight,
            preference: term(draw),
          })),
        }
      : {}),
  };
  const podAffinity = podRules(draw, own, features.has("affinity"), 0.35);
  const podAntiAffinity = podRules(draw, own, features.has("anti-affinity"), 0.45);
  const all: Affinity = {
    ...(Object.keys(nodeAffinity).length === 0 ? {} : { nodeAffinity }),
    ...(podAffinity === undefined ? {} : { podAffinity }),
    ...(podAntiAffinity === undefined ? {} : { podAntiAffinity }),
  };
  return Object.keys(all).length === 0 ? undefined : all;
}

function podRules(draw: Draw, own: OwnLabels, wanted: boolean, probability: number): PodAffinity | undefined {
  const { features, random } = draw;
  const required = wanted && random.chance(probability);
  const preferred = features.has("preferred-pod-affinity") && random.chance(0.3);
  if (!required && !preferred) return undefined;
  return {
    ...(required ? { requiredDuringSchedulingIgnoredDuringExecution: [podTerm(draw, own)] } : {}),
    ...(preferred
      ? {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: random.pick([1, 10, 100]), podAffinityTerm: podTerm(draw, own) },
          ],
        }
      : {}),
  };
}

function podTerm({ random, apps, features, namespaces }: Draw, own: OwnLabels): PodAffinityTerm {
  const of = random.chance(0.65) ? own.app : random.pick(apps);
  const where = features.has("namespaces")
    ? random.pick([
        {},
        { namespaces: random.some(namespaces, 1) },
        { namespaceSelector: {} },
        { namespaceSelector: { matchLabels: { kind: "shared" } } },
      ])
    : {};
  return {
    topologyKey: random.pick([zoneKey, zoneKey, hostKey, hostKey, capacityKey]),
    ...selectorOf(of, own, random),
    ...where,
  };
}

/** The API server writes matchLabelKeys into the selector when a pod is created, so both stand there. */
function selectorOf(
  app: string,
  { version }: OwnLabels,
  random: Random,
): Pick<PodAffinityTerm, "labelSelector" | "matchLabelKeys" | "mismatchLabelKeys"> {
  const matchLabels = { app };
  if (random.chance(0.8)) return { labelSelector: { matchLabels } };
  const match = random.chance(0.5);
  const expression = { key: "version", operator: match ? ("In" as const) : ("NotIn" as const), values: [version] };
  const keys = match ? { matchLabelKeys: ["version"] } : { mismatchLabelKeys: ["version"] };
  return { labelSelector: { matchLabels, matchExpressions: [expression] }, ...keys };
}

export function spreads(draw: Draw, app: string): readonly TopologySpreadConstraint[] {
  const { features, random } = draw;
  const keys: string[] = [];
  if (features.has("zone-spread") && random.chance(0.5)) keys.push(zoneKey);
  if (features.has("host-spread") && random.chance(0.5)) keys.push(hostKey);
  if (features.has("other-spread") && random.chance(0.5))
    keys.push(random.pick([capacityKey, ...Object.keys(draw.offer.labels).slice(0, 1)]));
  return keys.map((topologyKey) => spread(draw, app, topologyKey));
}

function spread({ features, random, apps }: Draw, app: string, topologyKey: string): TopologySpreadConstraint {
  const of = random.chance(0.85) ? app : random.pick(apps);
  const soft = features.has("schedule-anyway") && random.chance(0.5);
  const policies = features.has("spread-policies");
  return {
    maxSkew: random.pick([1, 1, 1, 2, 3]),
    topologyKey,
    whenUnsatisfiable: soft ? "ScheduleAnyway" : "DoNotSchedule",
    labelSelector: { matchLabels: { app: of } },
    ...(policies && !soft && random.chance(0.3) ? { minDomains: random.between(1, 4) } : {}),
    ...(policies && random.chance(0.3) ? { nodeAffinityPolicy: random.pick(["Honor", "Ignore"] as const) } : {}),
    ...(policies && random.chance(0.3) ? { nodeTaintsPolicy: random.pick(["Honor", "Ignore"] as const) } : {}),
    ...(policies && random.chance(0.2) ? { matchLabelKeys: ["version"] } : {}),
  };
}

export function tolerations({ features, random }: Draw): readonly Toleration[] {
  const list: Toleration[] = [];
  if (features.has("taints") && random.chance(0.6)) {
    const { key, value, effect } = random.pick(taints);
    list.push(
      random.pick([
        { key, operator: "Exists" },
        { key, operator: "Equal", value: value ?? "", effect },
        { operator: "Exists", effect },
      ]),
    );
  }
  if (features.has("prefer-taints") && random.chance(0.2)) list.push({ key: softTaint.key, operator: "Exists" });
  if (features.has("numeric-tolerations") && random.chance(0.6)) {
    list.push({
      key: numberTaint.key,
      operator: random.pick(["Lt", "Gt"]),
      value: random.pick(["20", "30", "40"]),
      effect: "NoSchedule",
    });
  }
  return list;
}
