/**
 * Why a class of pods found no place, in a person's words: for each NodePool the first rule that leaves nothing, with
 * the numbers, then what the existing nodes lack. Karpenter counterpart: the errors of
 * pkg/controllers/provisioning/scheduling/nodeclaim.go, InstanceTypeFilterError. It differs: one rule for each
 * NodePool, with its numbers, bounded in length.
 */

import { eventMessageMax, shortened } from "../message.ts";
import { describeAmount, describeResource } from "./amount-text.ts";
import type { Ask } from "./ask.ts";
import type { CandidatePool } from "./candidate-pool.ts";
import type { Step } from "./class-in-work.ts";
import type { NodeInWork, Tolerance } from "./existing-node.ts";
import type { PodClass } from "./pod-class.ts";
import type { RequirementSet, RequirementSets } from "./requirement-set.ts";
import { describeRequirement } from "./requirement-text.ts";
import type { Dimensions } from "./resource-vector.ts";
import { describeTaint, firstUntolerated } from "./taints.ts";
import { DomainChoices } from "./topology/domain-choice.ts";
import { rulesInWords } from "./topology/rule-words.ts";
import type { Topology } from "./topology/topology.ts";
import { poolObstacle } from "./unplaced-by-pool.ts";
import type { VolumeNeeds } from "./volumes/volume-needs.ts";

export interface UnplacedQuestion {
  readonly podClass: PodClass;
  /** The strictest first; the last one, which asks for the least, is explained. */
  readonly steps: readonly Step[];
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

/** "of 3 nodes 1 has a taint …, 1 …": undefined when there are no nodes. */
function nodesObstacle(
  nodes: readonly NodeInWork[],
  step: Ask & { readonly tolerance: Tolerance },
  dimensions: Dimensions,
): string | undefined {
  if (nodes.length === 0) return undefined;
  let [tainted, unlike, full] = [0, 0, 0];
  let taint: string | undefined;
  const most = new Float64Array(dimensions.names.length);
  for (const work of nodes) {
    const untolerated = firstUntolerated(work.node.taints, step.tolerance.tolerations);
    if (untolerated !== undefined) {
      tainted++;
      taint ??= describeTaint(untolerated);
    } else if (!work.meets(step.alternatives)) {
      unlike++;
    } else {
      full++;
      for (let d = 0; d < most.length; d++) most[d] = Math.max(most[d] ?? 0, work.free[d] ?? 0);
    }
  }
  const causes: string[] = [];
  if (tainted > 0) causes.push(`${tainted} with an untolerated taint (${taint})`);
  if (unlike > 0) causes.push(`${unlike} with other labels`);
  if (full > 0) causes.push(`${full} without room${shortOf(most, step, dimensions)}`);
  return `existing nodes: ${causes.join(", ")}`;
}

function shortOf(most: Float64Array, step: Ask, dimensions: Dimensions): string {
  for (const [d, name] of dimensions.names.entries()) {
    const [wanted, found] = [step.requests[d] ?? 0, most[d] ?? 0];
    if (wanted > found)
      return ` (${describeResource(name)}: ${describeAmount(name, wanted)} wanted, at most ${describeAmount(name, found)} free)`;
  }
  return step.hostPorts.length > 0 ? " (or its host port is taken)" : "";
}
