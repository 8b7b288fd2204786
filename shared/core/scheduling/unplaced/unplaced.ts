/**
 * Why a class of pods found no place, in a person's words: for each NodePool the first rule that leaves nothing, with
 * the numbers, then what the existing nodes lack. Karpenter counterpart: the errors of
 * pkg/controllers/provisioning/scheduling/nodeclaim.go, InstanceTypeFilterError. It differs: one rule for each
 * NodePool, with its numbers, bounded in length.
 */

import { eventMessageMax, shortened } from "../../message.ts";
import type { CandidatePool } from "../claims/candidate-pool.ts";
import type { NodeInWork } from "../nodes/existing-node.ts";
import type { Step } from "../pods/class-in-work.ts";
import type { PodClass } from "../pods/pod-class.ts";
import type { RequirementSet, RequirementSets } from "../requirements/requirement-set.ts";
import { describeRequirement } from "../requirements/requirement-text.ts";
import { daemonEverywhere } from "../resources/daemon-company.ts";
import type { Daemon } from "../resources/daemon-overhead.ts";
import type { Dimensions } from "../resources/resource-vector.ts";
import { DomainChoices } from "../topology/domain-choice.ts";
import { rulesInWords } from "../topology/rule-words.ts";
import type { Topology } from "../topology/topology.ts";
import type { VolumeNeeds } from "../volumes/volume-needs.ts";
import { nodesObstacle } from "./unplaced-by-node.ts";
import { poolObstacle } from "./unplaced-by-pool.ts";

export interface UnplacedQuestion {
  readonly podClass: PodClass;
  /** The strictest first; the last one, which asks for the least, is explained. */
  readonly steps: readonly Step[];
  readonly apartFrom: readonly Daemon[];
  readonly pools: readonly CandidatePool[];
  readonly nodes: readonly NodeInWork[];
  readonly sets: RequirementSets;
  readonly dimensions: Dimensions;
  readonly topology: Topology;
}

const mostPools = 5;

export function explainUnplaced(question: UnplacedQuestion): string {
  const { podClass, steps, pools, nodes } = question;
  if (podClass.unsupported !== undefined) {
    return `this pod uses ${podClass.unsupported}, which is not supported yet, so no node is made for it`;
  }
  const step = steps.at(-1);
  const where = placesInWords(podClass.volumes);
  if (step === undefined || step.alternatives.length === 0) {
    return podClass.steps.at(-1)?.alternatives.length === 0
      ? "its nodeSelector and required node affinity contradict each other: no node can meet them"
      : shortened(
          `${where}, and its nodeSelector or required node affinity excludes that: no node can meet both`,
          eventMessageMax,
        );
  }
  const rules = rulesInWords(step.rules, question.topology.groups.keys);
  const parts = pools.slice(0, mostPools).map((pool) => {
    const daemon = daemonEverywhere(pool, question.apartFrom);
    if (daemon !== undefined) {
      return `NodePool ${pool.nodePool.metadata.name}: ${daemon} runs on each of its nodes, and by anti-affinity the pod must not run beside it`;
    }
    const alternatives = alternativesBy(step, pool, question);
    const obstacle =
      alternatives.length === 0
        ? "it could make a node in none of the domains that rules between pods leave"
        : poolObstacle(pool, { ...step, alternatives }, question.sets, question.dimensions);
    return `NodePool ${pool.nodePool.metadata.name}: ${obstacle}`;
  });
  if (pools.length === 0) parts.push("no NodePool is ready to make nodes");
  if (pools.length > mostPools) parts.push(`${pools.length - mostPools} more NodePools`);
  const existing = nodesObstacle(nodes, step, question.dimensions);
  if (existing !== undefined) parts.push(existing);
  return shortened([where, ...rules, ...parts].filter((part) => part !== undefined).join("; "), eventMessageMax);
}

/** What a node of the pool would be, in each choice of domains that rules between pods leave. */
function alternativesBy(
  { alternatives, rules }: Step,
  pool: CandidatePool,
  { sets, topology }: UnplacedQuestion,
): readonly RequirementSet[] {
  if (rules.byKey.length === 0) return alternatives;
  const choices = new DomainChoices(topology.groups.keys, sets);
  return alternatives.flatMap((alternative) => {
    const set = sets.narrow(pool.base, alternative);
    // What conflicts anyway is the better reason.
    if (set === undefined) return [alternative];
    return choices.of(rules, set, topology.ofSet(pool, set)).map((choice) => choice.set);
  });
}

/** "its volumes want zone in [a]": undefined when they can be anywhere. */
function placesInWords(volumes: VolumeNeeds | undefined): string | undefined {
  const places = (volumes?.places ?? []).filter(({ size }) => size > 0);
  if (places.length === 0) return undefined;
  const texts = places.slice(0, mostPools).map((place) => [...place.values()].map((one) => describeRequirement(one)));
  const more = places.length > mostPools ? ` or one of ${places.length - mostPools} more places` : "";
  return `its volumes want ${texts.map((words) => words.join(" and ")).join(" or ")}${more}`;
}
