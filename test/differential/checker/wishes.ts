/**
 * How many preferences a plan meets, by weight: preferred node affinity, preferred pod affinity and anti-affinity, as
 * kube-scheduler scores them once all pods run. Shares no code with the scheduler.
 */
import type { Pod, PodAffinityTerm } from "#api/core-v1/pod.ts";
import type { AnswerClaim, AnswerNode, Problem } from "../../../cli/solve/problem.ts";
import type { Verdict } from "./check.ts";
import { podName } from "./claim-check.ts";
import { type Labels, termMatches } from "./matching.ts";
import { affinityTerm, meansPod, type PodTerm } from "./pod-rules.ts";
import { standingNodes } from "./standing-nodes.ts";

/** A node as it comes to be, and who is on it then. */
export interface Inhabited {
  readonly labels: Labels;
  /** Running there already. */
  readonly running: readonly Pod[];
  /** Whose wishes count. */
  readonly coming: readonly Pod[];
}

interface WeightedTerm {
  readonly weight: number;
  readonly podAffinityTerm: PodAffinityTerm;
}

export interface Wishes {
  readonly met: number;
  readonly stated: number;
}

/** Each claim as its cheapest machine. */
export function placesOf(
  problem: Problem,
  claims: readonly AnswerClaim[],
  nodes: readonly AnswerNode[],
): readonly Inhabited[] {
  const pods = new Map(problem.pods.map((pod) => [podName(pod), pod]));
  const podsOf = (names: readonly string[]): readonly Pod[] => names.flatMap((name) => pods.get(name) ?? []);
  const coming = new Map(nodes.map((node) => [node.name, podsOf(node.pods)]));
  const made = claims.map((claim, i) => {
    return { labels: labelsOf(problem, claim, `claim-${i}`), running: [], coming: podsOf(claim.pods) };
  });
  return [...standingPlaces(problem, coming), ...made];
}

/** The same of an answer without what is wrong about it. */
export function placesOfVerdict(problem: Problem, { claims, onNodes }: Verdict): readonly Inhabited[] {
  const made = claims.map(({ machines, pods, where }): Inhabited => {
    const cheapest = machines.reduce((a, b) => (b.price < a.price ? b : a));
    return { labels: { ...cheapest.labels, "kubernetes.io/hostname": where }, running: [], coming: pods };
  });
  return [...standingPlaces(problem, onNodes), ...made];
}

function standingPlaces(problem: Problem, coming: ReadonlyMap<string, readonly Pod[]>): readonly Inhabited[] {
  return standingNodes(problem).map(({ name, labels, pods: running, leaving }) => ({
    labels,
    running: leaving ? [] : running,
    coming: coming.get(name) ?? [],
  }));
}

function labelsOf({ instanceTypes }: Problem, { nodePool, requirements, cheapest }: AnswerClaim, host: string): Labels {
  const type = instanceTypes.find(({ name }) => name === cheapest?.instanceType);
  const single = [...requirements, ...(type?.requirements ?? [])].flatMap(({ key, operator, values = [] }) =>
    operator === "In" && values.length === 1 ? [[key, values[0] ?? ""] as const] : [],
  );
  return {
    ...Object.fromEntries(single),
    ...(cheapest === undefined
      ? {}
      : {
          "node.kubernetes.io/instance-type": cheapest.instanceType,
          "topology.kubernetes.io/zone": cheapest.zone,
          "karpenter.sh/capacity-type": cheapest.capacityType,
        }),
    "karpenter.sh/nodepool": nodePool,
    "kubernetes.io/hostname": host,
  };
}

export function wishesMet(problem: Problem, places: readonly Inhabited[]): Wishes {
  const census = new Census(problem, places);
  let [met, stated] = [0, 0];
  for (const { labels, coming } of places) {
    for (const pod of coming) {
      const { nodeAffinity, podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
      for (const { weight, preference } of nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []) {
        stated += weight;
        if (termMatches(preference, labels)) met += weight;
      }
      const company = (wishes: readonly WeightedTerm[] | undefined, isWanted: boolean): void => {
        for (const { weight, podAffinityTerm } of wishes ?? []) {
          stated += weight;
          if (census.othersNear(pod, podAffinityTerm, labels) > 0 === isWanted) met += weight;
        }
      };
      company(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution, true);
      company(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution, false);
    }
  }
  return { met, stated };
}

/** How many pods that a term means are in each of its domains. */
class Census {
  readonly #problem: Problem;
  readonly #places: readonly Inhabited[];
  readonly #counts = new Map<string, ReadonlyMap<string, number>>();

  constructor(problem: Problem, places: readonly Inhabited[]) {
    this.#problem = problem;
    this.#places = places;
  }

  /** Beside the pod itself; a node without the label is near nobody. */
  othersNear(pod: Pod, stated: PodAffinityTerm, labels: Labels): number {
    const term = affinityTerm(this.#problem, pod, stated);
    const domain = labels[term.topologyKey];
    if (domain === undefined) return 0;
    const counts = this.#counts.get(term.id) ?? this.#count(term);
    this.#counts.set(term.id, counts);
    return (counts.get(domain) ?? 0) - (meansPod(term, pod) ? 1 : 0);
  }

  #count(term: PodTerm): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { labels, running, coming } of this.#places) {
      const domain = labels[term.topologyKey];
      const meant = [...running, ...coming].filter((pod) => meansPod(term, pod)).length;
      if (domain !== undefined && meant > 0) counts.set(domain, (counts.get(domain) ?? 0) + meant);
    }
    return counts;
  }
}
