/**
 * What each class asks of nodes and of other pods, step by step, ready to be placed. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/scheduler.go, updateCachedPodData. It differs: made once a class, and what classes
 * have in common once for all of them.
 */
import type { Resources } from "../../instance-type.ts";
import type { CandidatePool } from "../claims/candidate-pool.ts";
import { Tolerance } from "../nodes/existing-node.ts";
import type { RelaxationRules, RelaxationStep } from "../requirements/relaxation.ts";
import type { RequirementSets } from "../requirements/requirement-set.ts";
import { ordersOf, stepsByTerm } from "../requirements/steps-by-term.ts";
import { firstUntolerated } from "../requirements/taints.ts";
import { type DaemonCompany, withoutDaemons } from "../resources/daemon-company.ts";
import type { Daemon } from "../resources/daemon-overhead.ts";
import type { Dimensions, ResourceVector } from "../resources/resource-vector.ts";
import { type ClassRules, noChecks } from "../topology/class-rules.ts";
import { type Membership, noMembership } from "../topology/topology.ts";
import type { ClassTopology, TopologySetup } from "../topology/topology-setup.ts";
import type { VolumeNeeds } from "../volumes/volume-needs.ts";
import { anywhere, together } from "../volumes/volume-topology.ts";
import type { Step } from "./class-in-work.ts";
import type { PodClass } from "./pod-class.ts";

export interface PreparedClass {
  readonly podClass: PodClass;
  /** Daemons with which its pods must not share a node. */
  readonly apartFrom: readonly Daemon[];
  readonly steps: readonly Step[];
  /** In Karpenter's way: required terms given up one by one before preferences. At least one order of the terms. */
  readonly stepsByTerm: readonly (readonly Step[])[];
  readonly membership: Membership;
}

type NodePart = Pick<Step, "alternatives" | "tolerance" | "pools">;

/** Classes that differ in their requests only share all but those. */
export class ClassPreparer {
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
    let requests = this.#requests.get(amounts);
    if (requests === undefined) {
      requests = this.#dimensions.vectorOf(amounts);
      this.#requests.set(amounts, requests);
    }
    const shared = volumes?.shared ?? [];
    const steps = unsupported !== undefined ? [] : podClass.steps;
    const apartFrom = this.#company.against(podClass);
    const inWork = (step: RelaxationStep, rules: ClassRules, isLast: boolean): Step => {
      const part = this.#ofStep(step, volumes);
      const { alternatives, tolerance, pools } =
        apartFrom.length === 0 ? part : withoutDaemons(part, apartFrom, this.#sets);
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
