/**
 * What is made of a problem once, however often its pods are placed. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/scheduler.go, NewScheduler. It differs: nothing here changes while pods are
 * placed.
 */
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import type { Resources } from "../instance-type.ts";
import { byWeight, type CandidatePool, candidatePool, indexesOf } from "./candidate-pool.ts";
import type { Step } from "./class-in-work.ts";
import { DaemonCompany, withoutDaemons } from "./daemon-company.ts";
import type { Daemon } from "./daemon-overhead.ts";
import { type ExistingNode, type NodeKind, NodeKinds, Tolerance } from "./existing-node.ts";
import { LaunchProfiles } from "./launch-profiles.ts";
import { asNodes } from "./open-claim.ts";
import type { PodClass } from "./pod-class.ts";
import { podClasses } from "./pod-classes.ts";
import type { SchedulingProblem } from "./problem.ts";
import type { RelaxationRules, RelaxationStep } from "./relaxation.ts";
import { RequirementSets } from "./requirement-set.ts";
import { Dimensions, type ResourceVector } from "./resource-vector.ts";
import { ordersOf, stepsByTerm } from "./steps-by-term.ts";
import { roundsFor } from "./strategy.ts";
import { firstUntolerated } from "./taints.ts";
import { type ClassRules, noChecks } from "./topology/class-rules.ts";
import { labelKeysOfRules } from "./topology/pod-rules.ts";
import { PodSelectors } from "./topology/pod-selector.ts";
import { type Membership, noMembership, type Topology } from "./topology/topology.ts";
import { type ClassTopology, type TopologySetup, topologySetup } from "./topology/topology-setup.ts";
import type { Place, Whereabouts } from "./topology/whereabouts.ts";
import type { VolumeNeeds } from "./volumes/volume-needs.ts";
import { anywhere, together } from "./volumes/volume-topology.ts";

export interface PreparedClass {
  readonly podClass: PodClass;
  /** Daemons with which its pods must not share a node. */
  readonly apartFrom: readonly Daemon[];
  readonly steps: readonly Step[];
  /** In Karpenter's way: required terms given up one by one before preferences. At least one order of the terms. */
  readonly stepsByTerm: readonly (readonly Step[])[];
  readonly membership: Membership;
}

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

/** Classes that differ in their requests only share all but those. */
class ClassPreparer {
  readonly #pools: readonly CandidatePool[];
  readonly #sets: RequirementSets;
  readonly #dimensions: Dimensions;
  readonly #company: DaemonCompany;
  readonly #rulesWithin: TopologySetup["rulesWithin"];
  readonly #relaxation: RelaxationRules | undefined;
  readonly #requests = new Map<Resources, ResourceVector>();
  readonly #ofAsks = new Map<RelaxationStep["alternatives"], Map<RelaxationStep["tolerations"], NodePart>>();

  /** `relaxation`: `stepsByTerm` is asked for. */
  constructor(
    pools: readonly CandidatePool[],
    sets: RequirementSets,
    dimensions: Dimensions,
    company: DaemonCompany,
    rulesWithin: TopologySetup["rulesWithin"],
    relaxation: RelaxationRules | undefined,
  ) {
    this.#company = company;
    this.#rulesWithin = rulesWithin;
    this.#relaxation = relaxation;
    this.#pools = pools;
    this.#sets = sets;
    this.#dimensions = dimensions;
  }

  prepared(podClass: PodClass, topology: ClassTopology | undefined): PreparedClass {
    const { requests: amounts, hostPorts, volumes, unsupported } = podClass;
    const requests = this.#requests.get(amounts) ?? this.#dimensions.vectorOf(amounts);
    this.#requests.set(amounts, requests);
    const shared = volumes?.shared ?? [];
    const steps = unsupported !== undefined ? [] : podClass.steps;
    const apartFrom = this.#company.against(podClass);
    const inWork = (step: RelaxationStep, rules: ClassRules, isLast: boolean): Step => {
      const part = this.#ofStep(step, volumes);
      const { alternatives, tolerance, pools } = withoutDaemons(part, apartFrom, this.#sets);
      return { alternatives, tolerance, pools, requests, hostPorts, shared, rules, isLast };
    };
    const rules = steps.map((_, i) => topology?.rules[i] ?? noChecks);
    const own = steps.map((step, i) => inWork(step, rules[i] ?? noChecks, i === steps.length - 1));
    return {
      podClass,
      apartFrom,
      steps: own,
      stepsByTerm: unsupported !== undefined ? [own] : this.#byTerm(podClass, own, rules, inWork),
      membership: topology?.membership ?? noMembership,
    };
  }

  /** In each order of the class's terms; as they are when there are none to choose among. */
  #byTerm(
    podClass: PodClass,
    own: readonly Step[],
    ownRules: readonly ClassRules[],
    inWork: (step: RelaxationStep, rules: ClassRules, isLast: boolean) => Step,
  ): readonly (readonly Step[])[] {
    const terms = this.#relaxation === undefined ? [] : stepsByTerm(podClass, this.#relaxation);
    if (terms.length === 0) return [own];
    const asks = terms.map(({ ask }) => ask);
    const compiled = terms.map(({ ask, strictest, steps }) => {
      const stepOf = (step: RelaxationStep, isLast: boolean): Step => {
        const same = podClass.steps.findIndex(({ rules }) => rules === step.rules);
        return inWork(step, this.#rulesWithin(ownRules[same] ?? noChecks, ask, asks), isLast);
      };
      return {
        before: strictest === undefined ? [] : [stepOf(strictest, false)],
        asLast: steps.map((step, i) => stepOf(step, i === steps.length - 1)),
      };
    });
    return ordersOf(terms.length).map((order) =>
      order.flatMap((term, i) => compiled[term]?.[i === order.length - 1 ? "asLast" : "before"] ?? []),
    );
  }

  #ofStep(step: RelaxationStep, volumes: VolumeNeeds | undefined): NodePart {
    const part = this.#nodePart(step);
    if (volumes === undefined || volumes.places === anywhere) return part;
    const narrowed = together(step.alternatives, volumes.places);
    return { ...part, alternatives: narrowed.map((requirements) => this.#sets.intern(requirements)) };
  }

  #nodePart({ alternatives, tolerations }: RelaxationStep): NodePart {
    const byTolerations = this.#ofAsks.get(alternatives) ?? new Map<RelaxationStep["tolerations"], NodePart>();
    this.#ofAsks.set(alternatives, byTolerations);
    const known = byTolerations.get(tolerations);
    if (known !== undefined) return known;
    const part = {
      alternatives: alternatives.map((requirements) => this.#sets.intern(requirements)),
      tolerance: new Tolerance(tolerations),
      pools: this.#pools.filter(({ taints }) => firstUntolerated(taints, tolerations) === undefined),
    };
    byTolerations.set(tolerations, part);
    return part;
  }
}

type NodePart = Pick<Step, "alternatives" | "tolerance" | "pools">;

function preparedNodes(
  { capacity, daemons }: SchedulingProblem,
  classes: readonly PreparedClass[],
  topology: Topology,
  sets: RequirementSets,
  dimensions: Dimensions,
): readonly PreparedNode[] {
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
    topology.note(place);
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
