/**
 * Builds the counts of a problem from its classes and its nodes, and ties each class's rules to them. Karpenter
 * counterpart: pkg/controllers/provisioning/scheduling/topology.go, NewTopology and Update.
 */
import type { CandidatePool } from "../claims/candidate-pool.ts";
import type { PodClass } from "../pods/pod-class.ts";
import type { NodeAsk } from "../requirements/node-ask.ts";
import type { RequirementSet, RequirementSets } from "../requirements/requirement-set.ts";
import { firstUntolerated, toleratePreferNoSchedule } from "../requirements/taints.ts";
import { type ClassRules, withPossible } from "./class-rules.ts";
import { GroupIndex } from "./group-index.ts";
import { type PodRules, requiredAntiAffinities } from "./pod-rules.ts";
import { identityOf, type PodIdentity, type PodSelectors } from "./pod-selector.ts";
import { compiledRules, type RuleOwner } from "./rule-compiler.ts";
import type { RuleLadder } from "./rule-ladder.ts";
import { type Membership, type Neighbour, Topology } from "./topology.ts";
import type { TopologyKey } from "./topology-key.ts";

/** What placing the pods of a class has to look at and to write down. */
export interface ClassTopology {
  /** By step of relaxation. */
  readonly rules: readonly ClassRules[];
  readonly membership: Membership;
}

export interface TopologySetup {
  readonly topology: Topology;
  /** By class. */
  readonly classes: readonly ClassTopology[];
  /** The rules where the class holds on to one of its OR-ed terms: nodes are made for it and those that may be met with it. */
  readonly rulesWithin: (rules: ClassRules, term: NodeAsk, terms: readonly NodeAsk[]) => ClassRules;
}

interface Inputs {
  readonly classes: readonly PodClass[];
  readonly neighbours: readonly Neighbour[];
  readonly pools: readonly CandidatePool[];
  readonly sets: RequirementSets;
  readonly selectors: PodSelectors;
}

export function topologySetup(inputs: Inputs): TopologySetup {
  const { classes, neighbours, sets, selectors } = inputs;
  const topology = new Topology(sets, selectors);
  const { groups } = topology;
  for (const pod of neighbours.flatMap(({ pods }) => pods)) {
    if (pod.spec.affinity?.podAntiAffinity === undefined) continue;
    for (const rule of requiredAntiAffinities(pod.spec, identityOf(pod), selectors)) groups.ofOwners(rule);
  }
  const owns = classes.map(({ ladder }) => ladder.required.antiAffinities.map((rule) => groups.ofOwners(rule)));
  const compiler = new RulesOfClasses(inputs, topology);
  const rules = classes.map((one) => compiler.rulesOf(one));
  topology.start(neighbours);
  return {
    topology,
    rulesWithin: (own, term, terms) => compiler.rulesWithin(own, term, terms),
    classes: classes.map(({ identity }, i) => {
      const membership = { counts: groups.isEmpty ? [] : topology.countsOf(identity), owns: owns[i] ?? [] };
      return { rules: rules[i] ?? [], membership };
    }),
  };
}

/** Classes that ask the same of nodes and of other pods, and look alike to others, share the compiled rules. */
class RulesOfClasses {
  readonly #inputs: Inputs;
  readonly #topology: Topology;
  readonly #repelling: GroupIndex;
  readonly #known = new Map<RuleLadder, Map<NodeAsk, Map<PodIdentity, readonly ClassRules[]>>>();
  readonly #within = new Map<ClassRules, Map<NodeAsk, ClassRules>>();
  readonly #asks = new Map<NodeAsk, Omit<RuleOwner, "identity">>();

  constructor(inputs: Inputs, topology: Topology) {
    this.#inputs = inputs;
    this.#topology = topology;
    const { owners } = topology.groups;
    this.#repelling = new GroupIndex(owners, [...new Set(owners.flatMap(({ selector }) => selector.keys))].sort());
  }

  /** By step of relaxation. */
  rulesOf({ ladder, node, identity, steps }: PodClass): readonly ClassRules[] {
    const byNode = this.#known.get(ladder) ?? new Map<NodeAsk, Map<PodIdentity, readonly ClassRules[]>>();
    this.#known.set(ladder, byNode);
    const byIdentity = byNode.get(node) ?? new Map<PodIdentity, readonly ClassRules[]>();
    byNode.set(node, byIdentity);
    const known = byIdentity.get(identity);
    if (known !== undefined) return known;
    const repelledBy = this.#repelling.meaning(identity);
    const owner = { identity, ...this.#askOf(node) };
    const compiled = new Map<PodRules, ClassRules>();
    const rules = steps.map((step) => {
      const made = compiled.get(step.rules) ?? compiledRules(step.rules, owner, repelledBy, this.#topology.groups);
      compiled.set(step.rules, made);
      return made;
    });
    byIdentity.set(identity, rules);
    return rules;
  }

  rulesWithin(rules: ClassRules, term: NodeAsk, terms: readonly NodeAsk[]): ClassRules {
    const byTerm = this.#within.get(rules) ?? new Map<NodeAsk, ClassRules>();
    this.#within.set(rules, byTerm);
    const known = byTerm.get(term);
    if (known !== undefined) return known;
    const { required, tolerations } = this.#askOf(term);
    const others = terms.flatMap((other) => this.#askOf(other).required);
    const { sets } = this.#inputs;
    const together = others.filter((other) => required.some((own) => sets.narrow(own, other) !== undefined));
    const made = withPossible(rules, this.#possible(together, tolerations));
    byTerm.set(term, made);
    return made;
  }

  #askOf(node: NodeAsk): Omit<RuleOwner, "identity"> {
    const known = this.#asks.get(node);
    if (known !== undefined) return known;
    const required = node.required.map((alternative) => this.#inputs.sets.intern(alternative));
    const ask = { required, tolerations: node.tolerations, possible: this.#possible(required, node.tolerations) };
    this.#asks.set(node, ask);
    return ask;
  }

  /** In NodePools that the class tolerates; taints that only prefer others away do not close a domain. */
  #possible(
    required: readonly RequirementSet[],
    tolerations: RuleOwner["tolerations"],
  ): (key: TopologyKey) => readonly number[] {
    const { pools, sets } = this.#inputs;
    const soft = [...tolerations, toleratePreferNoSchedule];
    const usable = pools
      .filter(({ taints }) => firstUntolerated(taints, soft) === undefined)
      .flatMap((pool) => required.map((one) => ({ pool, set: sets.narrow(pool.base, one) })));
    return (key) => {
      const domains = usable.flatMap(({ pool, set }) =>
        set === undefined ? [] : this.#topology.poolDomains.of(pool, set, key),
      );
      return [...new Set(domains)];
    };
  }
}
