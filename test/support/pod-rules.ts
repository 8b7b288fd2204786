/** Short ways to write rules between pods, and to read where a plan puts them. */
import type { Node } from "#api/core-v1/node.ts";
import type { Pod, PodAffinityTerm, PodSpec, TopologySpreadConstraint } from "#api/core-v1/pod.ts";
import { type Plan, planProvisioning } from "#core/provisioning/plan.ts";
import type { ClusterView } from "#core/snapshot.ts";
import { node, nodePool, pendingPod, snapshotOf, testProvider } from "./scheduling-objects.ts";

export const zoneKey = "topology.kubernetes.io/zone";
export const hostKey = "kubernetes.io/hostname";
export const capacityTypeKey = "karpenter.sh/capacity-type";

export const web = { labels: { app: "web" } } as const;

/** With one NodePool, `default`, where `cluster` names none. */
export function planOf(cluster: Partial<ClusterView>): Plan {
  return planProvisioning(snapshotOf({ nodePools: [nodePool("default")], ...cluster }), testProvider);
}

export function podOf(name: string, app: string, spec: Partial<PodSpec> = {}, cpu = "1"): Pod {
  return pendingPod(name, { cpu }, spec, { labels: { app } });
}

export function nodeIn(zone: string, name: string, cpu = "4"): Node {
  return node(name, { cpu, memory: "16Gi", pods: "20" }, { labels: { [zoneKey]: zone } });
}

export function spread(
  topologyKey: string,
  more: Partial<TopologySpreadConstraint> = {},
  app = "web",
): TopologySpreadConstraint {
  const labelSelector = { matchLabels: { app } };
  return { maxSkew: 1, topologyKey, whenUnsatisfiable: "DoNotSchedule", labelSelector, ...more };
}

export function spreading(...topologySpreadConstraints: TopologySpreadConstraint[]): Partial<PodSpec> {
  return { topologySpreadConstraints };
}

export function term(topologyKey: string, app = "web", more: Partial<PodAffinityTerm> = {}): PodAffinityTerm {
  return { topologyKey, labelSelector: { matchLabels: { app } }, ...more };
}

export function near(...terms: PodAffinityTerm[]): Partial<PodSpec> {
  return { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } } };
}

export function apart(...terms: PodAffinityTerm[]): Partial<PodSpec> {
  return { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } } };
}

/** Pods a value of the label on new claims, by the value; "open" where the claim leaves several. */
export function podsBy(plan: Plan, key: string): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { nodeClaim, planned } of plan.claims) {
    const values = nodeClaim.spec.requirements.find((one) => one.key === key)?.values ?? [];
    const value = values.length === 1 ? (values[0] ?? "") : "open";
    counts[value] = (counts[value] ?? 0) + planned.pods.length;
  }
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Names of the pods of each new claim. */
export function podsOfClaims(plan: Plan): readonly (readonly string[])[] {
  return plan.claims.map(({ planned }) => planned.pods.map(({ metadata }) => metadata.name));
}

export function podsOnNodes(plan: Plan): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(plan.placements.map(({ node, pods }) => [node.name, pods.map((p) => p.metadata.name)]));
}

export function unplacedPods(plan: Plan): readonly string[] {
  return plan.unschedulable.flatMap(({ pods }) => pods.map(({ metadata }) => metadata.name));
}

/** Of the first group of pods without a place. */
export function messageOf(plan: Plan): string | undefined {
  return plan.unschedulable[0]?.message;
}
