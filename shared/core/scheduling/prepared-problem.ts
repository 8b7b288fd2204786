/**
 * What is made of a problem once, however often its pods are placed. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/scheduler.go, NewScheduler. It differs: nothing here changes while pods are
 * placed.
 */
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { byWeight, type CandidatePool, candidatePool, indexesOf } from "./claims/candidate-pool.ts";
import { asNodes } from "./claims/open-claim.ts";
import { LaunchProfiles } from "./instance-types/launch-profiles.ts";
import { type ExistingNode, type NodeKind, NodeKinds } from "./nodes/existing-node.ts";
import { ClassPreparer, type PreparedClass } from "./pods/class-preparer.ts";
import type { PodClass } from "./pods/pod-class.ts";
import { podClasses } from "./pods/pod-classes.ts";
import type { SchedulingProblem } from "./problem.ts";
import type { RelaxationRules } from "./requirements/relaxation.ts";
import { RequirementSets } from "./requirements/requirement-set.ts";
import { DaemonCompany } from "./resources/daemon-company.ts";
import { Dimensions } from "./resources/resource-vector.ts";
import { roundsFor } from "./strategy.ts";
import { labelKeysOfRules } from "./topology/pod-rules.ts";
import { PodSelectors } from "./topology/pod-selector.ts";
import type { Topology } from "./topology/topology.ts";
import { topologySetup } from "./topology/topology-setup.ts";
import type { Place, Whereabouts } from "./topology/whereabouts.ts";

export interface PreparedNode extends Place {
  readonly node: ExistingNode;
  readonly kind: NodeKind;
}

export interface PreparedProblem {
  readonly problem: SchedulingProblem;
  readonly sets: RequirementSets;
  readonly dimensions: Dimensions;
  readonly profiles: LaunchProfiles;
  readonly pools: readonly CandidatePool[];
  readonly classes: readonly PreparedClass[];
  readonly nodes: readonly PreparedNode[];
  readonly topology: Topology;
}

export function prepared(problem: SchedulingProblem): PreparedProblem {
  const sets = new RequirementSets(problem.wellKnownLabels);
  const { neighbours = [] } = problem;
  const selectors = new PodSelectors(problem.namespaces ?? []);
  const classes = classesOf(problem, selectors);
  const dimensions = new Dimensions(new Set([...classes, ...problem.daemons].map(({ requests }) => requests)));
  const pools = candidatePools(problem, sets, dimensions);
  const setup = topologySetup({ classes, neighbours, pools, sets, selectors });
  const { topology, classes: rules } = setup;
  const relaxation = roundsFor(problem.pods.length) === undefined ? undefined : relaxationOf(problem);
  const company = new DaemonCompany(problem.daemons, selectors);
  const preparer = new ClassPreparer(pools, sets, dimensions, company, setup.rulesWithin, relaxation);
  const inSteps = classes.map((one, i) => preparer.prepared(one, rules[i]));
  const nodes = preparedNodes(problem, inSteps, topology, sets, dimensions);
  const profiles = new LaunchProfiles(dimensions.names.length);
  // All domains are known before the first attempt, so that none depends on the ones before.
  for (const pool of pools) topology.ofSet(pool, pool.base);
  topology.mark();
  return { problem, sets, dimensions, profiles, pools, classes: inSteps, nodes, topology };
}

function classesOf(problem: SchedulingProblem, selectors: PodSelectors): readonly PodClass[] {
  const { pods, volumes, neighbours = [] } = problem;
  const others = [...neighbours.flatMap((one) => one.pods), ...problem.daemons.map(({ pod }) => pod)];
  const running = others.filter(({ spec }) => spec.affinity?.podAntiAffinity !== undefined);
  const labelKeys = [...new Set(running.flatMap(({ spec }) => labelKeysOfRules(spec)))];
  return podClasses(pods, {
    ...relaxationOf(problem),
    ...(volumes === undefined ? {} : { volumes }),
    selectors,
    ...(running.length === 0 ? {} : { labelKeys }),
  });
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

function preparedNodes(
  { capacity, daemons }: SchedulingProblem,
  classes: readonly PreparedClass[],
  topology: Topology,
  sets: RequirementSets,
  dimensions: Dimensions,
): readonly PreparedNode[] {
  if (capacity.length === 0) return [];
  const asked = new Set(classes.flatMap(({ steps }) => steps.flatMap(({ alternatives }) => alternatives)));
  const kinds = new NodeKinds(
    asked,
    topology.groups.keys.list.map(({ name }) => name),
  );
  const whereabouts = new Map<NodeKind, Whereabouts>();
  return asNodes(capacity, daemons, sets, dimensions).map((node) => {
    const kind = kinds.kindOf(node);
    const where = whereabouts.get(kind) ?? topology.ofNode(node);
    whereabouts.set(kind, where);
    const place = { host: topology.hostOf(node.name), whereabouts: where };
    topology.noteStanding(place);
    return { node, kind, ...place };
  });
}

function relaxationOf(problem: SchedulingProblem): RelaxationRules {
  return { preferencePolicy: problem.preferencePolicy, preferNoScheduleTaints: hasPreferNoSchedule(problem) };
}

function hasPreferNoSchedule(problem: SchedulingProblem): boolean {
  const ofPool = (nodePool: NodePool): boolean => soft(nodePool.spec.template.spec.taints);
  return problem.pools.some(({ nodePool }) => ofPool(nodePool)) || problem.capacity.some(({ taints }) => soft(taints));
}

function soft(taints: NodePool["spec"]["template"]["spec"]["taints"]): boolean {
  return (taints ?? []).some(({ effect }) => effect === "PreferNoSchedule");
}
