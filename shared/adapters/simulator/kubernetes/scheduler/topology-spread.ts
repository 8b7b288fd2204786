/**
 * An oracle: topology spread, written from Kubernetes' rules and apart from
 * shared/core/scheduling/topology on purpose: here is what happens to a plan, so that a mistake of either shows.
 */
import type { Node } from "#api/core-v1/node.ts";
import type { ClusterCache } from "./cluster-cache.ts";
import { nodeAffinityMatches } from "./node-affinity.ts";
import type { NodeInfo } from "./node-info.ts";
import type { PodInfo, SpreadConstraint } from "./pod-info.ts";
import { untolerated } from "./taints.ts";

export const spreadReason = "node(s) didn't match pod topology spread constraints";
export const spreadLabelReason = `${spreadReason} (missing required label)`;

interface Domains {
  readonly constraint: SpreadConstraint;
  readonly countByValue: ReadonlyMap<string, number>;
  readonly smallest: number;
  /** 1 when the pod counts for its own constraint. */
  readonly itself: 0 | 1;
}

/**
 * DoNotSchedule constraints of one pod over the cluster as it is. Nodes count as domains when they carry every key of the
 * pod's constraints and, by the constraint's policies, match its affinity and its tolerations. With fewer domains than
 * minDomains the smallest count is 0.
 */
export function hardSpread(info: PodInfo, cache: ClusterCache): (node: NodeInfo) => string | undefined {
  const constraints = info.spreads.filter(({ spec }) => spec.whenUnsatisfiable === "DoNotSchedule");
  if (constraints.length === 0) return () => undefined;
  const keys = constraints.map(({ spec }) => spec.topologyKey);
  const domains = constraints.map((constraint) => domainsOf(constraint, keys, info, cache));
  return ({ node }) => {
    const labels = node?.metadata.labels ?? {};
    if (keys.some((key) => labels[key] === undefined)) return spreadLabelReason;
    const fits = domains.every(({ constraint, countByValue, smallest, itself }) => {
      const count = countByValue.get(labels[constraint.spec.topologyKey] ?? "") ?? 0;
      return count + itself - smallest <= constraint.spec.maxSkew;
    });
    return fits ? undefined : spreadReason;
  };
}

function domainsOf(constraint: SpreadConstraint, keys: readonly string[], info: PodInfo, cache: ClusterCache): Domains {
  const countByValue = new Map<string, number>();
  for (const { node, pods } of cache.nodes()) {
    if (node === undefined || !counts(constraint, keys, info, node)) continue;
    const value = node.metadata.labels?.[constraint.spec.topologyKey] ?? "";
    countByValue.set(value, (countByValue.get(value) ?? 0) + matching(constraint, pods.values()));
  }
  const enough = countByValue.size >= (constraint.spec.minDomains ?? 1);
  return {
    constraint,
    countByValue,
    smallest: enough && countByValue.size > 0 ? Math.min(...countByValue.values()) : 0,
    itself: constraint.selects(info.pod) ? 1 : 0,
  };
}

function counts({ spec }: SpreadConstraint, keys: readonly string[], info: PodInfo, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  if (keys.some((key) => labels[key] === undefined)) return false;
  if (spec.nodeAffinityPolicy !== "Ignore" && !nodeAffinityMatches(info.pod, node)) return false;
  return spec.nodeTaintsPolicy !== "Honor" || untolerated(info.pod, node.spec.taints ?? []) === undefined;
}

/** Pods on their way out do not count. */
export function matching(constraint: SpreadConstraint, pods: Iterable<PodInfo>): number {
  let count = 0;
  for (const { pod } of pods) {
    if (pod.metadata.deletionTimestamp === undefined && constraint.selects(pod)) count++;
  }
  return count;
}
