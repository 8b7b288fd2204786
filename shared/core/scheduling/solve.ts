/**
 * Karpenter counterpart: pkg/controllers/provisioning/scheduling/scheduler.go, Solve. The answers follow it: big pods
 * first, existing nodes before claims of this batch before new claims, pools by weight, preferences given up one by one.
 *
 * The method is another. Pods are taken by class (pod-class.ts). Without rules between pods, a class that does not fit a
 * node or claim now does not fit later either, because both only fill up; so one pass over them per class and step of
 * relaxation finds what trying every pod everywhere would find.
 */

import type { Pod } from "#api/core-v1/pod.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import type { Ask } from "./ask.ts";
import { byWeight, type CandidatePool, candidatePool, indexesOf, type PoolInput } from "./candidate-pool.ts";
import { ClaimInWork } from "./claim-in-work.ts";
import type { Daemon } from "./daemon-overhead.ts";
import { type ExistingNode, NodeInWork, NodeLabels, Tolerance } from "./existing-node.ts";
import { podDigest } from "./expected-pods.ts";
import { type MinValuesPolicy, newClaim } from "./new-claim.ts";
import { asNodes, type OpenClaim } from "./open-claim.ts";
import { plannedClaims } from "./planned-claim.ts";
import { type PodClass, podClasses } from "./pod-class.ts";
import { RequirementSets } from "./requirement-set.ts";
import { Dimensions, type ResourceVector } from "./resource-vector.ts";
import type { Solution, Unplaced } from "./solution.ts";
import { firstUntolerated } from "./taints.ts";
import { explainUnplaced } from "./unplaced.ts";

export interface SchedulingProblem {
  /** In any order: the answer does not depend on it. */
  readonly pods: readonly Pod[];
  /** Nodes, and claims that may still become any of their types; tried in this order. */
  readonly capacity: readonly (ExistingNode | OpenClaim)[];
  /** In any order. */
  readonly pools: readonly PoolInput[];
  readonly daemons: readonly Daemon[];
  readonly wellKnownLabels: readonly string[];
  readonly preferencePolicy: "Respect" | "Ignore";
  readonly minValuesPolicy: MinValuesPolicy;
}

/** A class at one step of relaxation. */
interface Step extends Ask {
  readonly tolerance: Tolerance;
  readonly pools: readonly CandidatePool[];
}

interface Work {
  readonly nodes: readonly NodeInWork[];
  readonly claims: ClaimInWork[];
  readonly sets: RequirementSets;
  readonly policy: MinValuesPolicy;
}

export function solve(problem: SchedulingProblem): Solution {
  const sets = new RequirementSets(problem.wellKnownLabels);
  const preferNoScheduleTaints = hasPreferNoSchedule(problem);
  const classes = podClasses(problem.pods, { preferencePolicy: problem.preferencePolicy, preferNoScheduleTaints });
  const dimensions = new Dimensions([...classes, ...problem.daemons].map(({ requests }) => requests));
  const pools = candidatePools(problem, sets, dimensions);
  const asked = classes.map((one) => stepsOf(one, pools, sets, dimensions));
  const labels = new NodeLabels(asked.flat().flatMap(({ alternatives }) => alternatives));
  const existing = asNodes(problem.capacity, problem.daemons, sets, dimensions);
  const nodes = existing.map((node) => new NodeInWork(node, dimensions, labels, sets));
  const work: Work = { nodes, claims: [], sets, policy: problem.minValuesPolicy };
  const waiting = placeExpected(classes, asked, nodes);
  const unplaced: Unplaced[] = [];
  for (const [index, one] of classes.entries()) {
    const [steps = [], pods = []] = [asked[index], waiting[index]];
    const placed = placeClass(pods, steps, work);
    if (placed === pods.length) continue;
    const message = explainUnplaced({ podClass: one, steps, pools, nodes, sets, dimensions });
    unplaced.push({ pods: pods.slice(placed), message });
  }
  return {
    nodes: nodes.filter(({ pods }) => pods.length > 0).map(({ node, pods }) => ({ node, pods })),
    claims: plannedClaims(work.claims, dimensions),
    unplaced,
  };
}

function candidatePools(
  problem: SchedulingProblem,
  sets: RequirementSets,
  dimensions: Dimensions,
): readonly CandidatePool[] {
  const inputs = [...problem.pools].sort((a, b) => byWeight(a.nodePool, b.nodePool));
  const indexes = indexesOf(inputs, dimensions);
  return inputs.flatMap((input, i) => {
    const index = indexes[i];
    const pool = index === undefined ? undefined : candidatePool(input, index, problem.daemons, sets, dimensions);
    return pool === undefined ? [] : [pool];
  });
}

function stepsOf(
  podClass: PodClass,
  pools: readonly CandidatePool[],
  sets: RequirementSets,
  dimensions: Dimensions,
): readonly Step[] {
  const requests: ResourceVector = dimensions.vectorOf(podClass.requests);
  if (podClass.unsupported !== undefined) return [];
  return podClass.steps.map((step) => ({
    alternatives: step.alternatives.map((requirements) => sets.intern(requirements)),
    requests,
    hostPorts: podClass.hostPorts,
    tolerance: new Tolerance(step.tolerations),
    pools: pools.filter(({ taints }) => firstUntolerated(taints, step.tolerations) === undefined),
  }));
}

/** Pods for which a claim exists go there, if they still can; the others of each class are returned. */
function placeExpected(
  classes: readonly PodClass[],
  asked: readonly (readonly Step[])[],
  nodes: readonly NodeInWork[],
): readonly (readonly Pod[])[] {
  const expecting = new Map<string, NodeInWork>();
  for (const node of nodes) for (const digest of node.node.expects ?? []) expecting.set(digest, node);
  if (expecting.size === 0) return classes.map(({ pods }) => pods);
  return classes.map(({ pods }, index) =>
    pods.filter((pod) => {
      const node = expecting.get(podDigest(pod));
      return (
        node === undefined || !(asked[index] ?? []).some((step) => node.add(step, step.tolerance, [pod], 0, 1) === 1)
      );
    }),
  );
}

/** How many of the pods, the first ones, got a place. */
function placeClass(pods: readonly Pod[], steps: readonly Step[], work: Work): number {
  let placed = 0;
  for (const step of steps) {
    placed = placeOnCapacity(pods, placed, step, work);
    placed = placeOnNewClaims(pods, placed, step, work);
  }
  return placed;
}

function placeOnCapacity(pods: readonly Pod[], from: number, step: Step, work: Work): number {
  let placed = from;
  for (const node of work.nodes) {
    if (placed === pods.length) return placed;
    placed += node.add(step, step.tolerance, pods, placed, pods.length - placed);
  }
  for (const claim of work.claims) {
    if (placed === pods.length) return placed;
    if (step.pools.includes(claim.pool)) placed += claim.add(step, pods, placed, pods.length - placed, work.sets);
  }
  return placed;
}

function placeOnNewClaims(pods: readonly Pod[], from: number, step: Step, work: Work): number {
  let placed = from;
  // Each round makes a claim that takes at least one pod, so there are at most as many rounds as pods.
  while (placed < pods.length) {
    const claim = openClaim(step, work);
    const added = claim?.add(step, pods, placed, pods.length - placed, work.sets) ?? 0;
    if (claim === undefined || added === 0) return placed;
    claim.pool.limits.charge(claim.types, claim.pool.index);
    work.claims.push(claim);
    placed += added;
  }
  return placed;
}

/** A claim of the first pool, by weight, that can take such a pod. */
function openClaim(step: Step, work: Work): ClaimInWork | undefined {
  for (const pool of step.pools) {
    const start = newClaim(pool, step, work.sets, work.policy);
    if (start !== undefined) return new ClaimInWork(pool, start);
  }
  return undefined;
}

function hasPreferNoSchedule(problem: SchedulingProblem): boolean {
  const ofPool = (nodePool: NodePool): boolean => soft(nodePool.spec.template.spec.taints);
  return problem.pools.some(({ nodePool }) => ofPool(nodePool)) || problem.capacity.some(({ taints }) => soft(taints));
}

function soft(taints: NodePool["spec"]["template"]["spec"]["taints"]): boolean {
  return (taints ?? []).some(({ effect }) => effect === "PreferNoSchedule");
}
