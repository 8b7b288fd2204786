/**
 * An oracle: pod affinity and anti-affinity, written from Kubernetes' rules and apart from
 * shared/core/scheduling/topology on purpose: here is what happens to a plan, so that a mistake of either shows.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import type { ClusterCache } from "./cluster-cache.ts";
import type { NodeInfo } from "./node-info.ts";
import type { AffinityTerm, PodInfo } from "./pod-info.ts";

export const affinityReason = "node(s) didn't match pod affinity rules";
export const antiAffinityReason = "node(s) didn't match pod anti-affinity rules";
export const existingAntiAffinityReason = "node(s) didn't satisfy existing pods anti-affinity rules";

/** How often a domain ("key=value") was met. */
type Domains = Map<string, number>;

/** Required affinity and anti-affinity of one pod, both ways, over the cluster as it is. */
export function requiredAffinity(info: PodInfo, cache: ClusterCache): (node: NodeInfo) => string | undefined {
  const forbidden = domainsThatForbid(info.pod, cache);
  const near = info.affinity.length === 0 ? undefined : domainsOfAll(info.affinity, cache);
  const far = info.antiAffinity.map((term) => domainsOfAll([term], cache));
  if (forbidden.size === 0 && near === undefined && far.length === 0) return () => undefined;
  const first = near !== undefined && near.size === 0 && selectsItself(info, cache);
  return (node) => {
    const labels = node.node?.metadata.labels ?? {};
    for (const domain of forbidden.keys()) if (isIn(domain, labels)) return existingAntiAffinityReason;
    if (near !== undefined && !satisfiesAll(info.affinity, near, labels, first)) return affinityReason;
    const hit = info.antiAffinity.some((term, index) => {
      const value = labels[term.topologyKey];
      return value !== undefined && (far[index]?.get(`${term.topologyKey}=${value}`) ?? 0) > 0;
    });
    return hit ? antiAffinityReason : undefined;
  };
}

/** Domains that pods on nodes keep `pod` out of. */
function domainsThatForbid(pod: Pod, cache: ClusterCache): Domains {
  const domains: Domains = new Map();
  for (const other of cache.podsWithAntiAffinity()) {
    for (const term of other.antiAffinity) {
      if (term.selects(pod, cache.namespaceLabels)) note(domains, term, cache.nodeOf(other.pod.metadata.uid ?? ""));
    }
  }
  return domains;
}

/** Domains of pods that every one of the terms selects: Kubernetes wants one pod to meet all terms. */
function domainsOfAll(terms: readonly AffinityTerm[], cache: ClusterCache): Domains {
  const domains: Domains = new Map();
  for (const node of cache.nodes()) {
    for (const { pod } of node.pods.values()) {
      if (terms.every((term) => term.selects(pod, cache.namespaceLabels))) {
        for (const term of terms) note(domains, term, node);
      }
    }
  }
  return domains;
}

function note(domains: Domains, { topologyKey }: AffinityTerm, node: NodeInfo | undefined): void {
  const value = node?.node?.metadata.labels?.[topologyKey];
  if (value === undefined) return;
  const domain = `${topologyKey}=${value}`;
  domains.set(domain, (domains.get(domain) ?? 0) + 1);
}

/** The first pod of a group may go anywhere that has the keys: nobody is there yet, and it selects itself. */
function satisfiesAll(
  terms: readonly AffinityTerm[],
  domains: Domains,
  labels: Readonly<Record<string, string>>,
  first: boolean,
): boolean {
  return terms.every(({ topologyKey }) => {
    const value = labels[topologyKey];
    return value !== undefined && (first || domains.has(`${topologyKey}=${value}`));
  });
}

function selectsItself(info: PodInfo, cache: ClusterCache): boolean {
  return info.affinity.every((term) => term.selects(info.pod, cache.namespaceLabels));
}

function isIn(domain: string, labels: Readonly<Record<string, string>>): boolean {
  const equals = domain.indexOf("=");
  return labels[domain.slice(0, equals)] === domain.slice(equals + 1);
}
