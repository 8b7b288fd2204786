/**
 * The steps of relaxation as Karpenter takes them: OR-ed required terms are given up one by one, and only the last one's
 * preferences after that. Karpenter counterpart: pkg/controllers/provisioning/scheduling/preferences.go,
 * removeRequiredNodeAffinityTerm. It differs: this is one way among others to look for a cheap plan; the terms come in
 * several orders, whichever the user wrote; a term that contradicts a preference is left out.
 */
import type { NodeSelectorTerm, PodSpec } from "#api/core-v1/pod.ts";
import type { PodClass } from "../pods/pod-class.ts";
import { preferredTerms } from "./node-affinity.ts";
import { type NodeAsk, nodeAsk } from "./node-ask.ts";
import { type RelaxationRules, type RelaxationStep, relaxationSteps } from "./relaxation.ts";

/** One required term by itself. */
export interface TermSteps {
  readonly ask: NodeAsk;
  /** With every preference; undefined: it contradicts one. */
  readonly strictest: RelaxationStep | undefined;
  /** When it is the only one left. */
  readonly steps: readonly RelaxationStep[];
}

/** In an order of their own; none when the class has no terms to choose among. */
export function stepsByTerm({ pods, ladder }: PodClass, rules: RelaxationRules): readonly TermSteps[] {
  const spec = pods[0]?.spec;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required?.nodeSelectorTerms ?? [];
  if (spec === undefined || terms.length <= 1) return [];
  const wishes = rules.preferencePolicy === "Ignore" ? 0 : preferredTerms(spec).length;
  return terms
    .map((term) => nodeAsk(withTerm(spec, term), rules.preferencePolicy))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map((ask) => {
      const steps = relaxationSteps(ask, ladder, rules.preferNoScheduleTaints);
      return { ask, strictest: ask.wishes.length < wishes ? undefined : steps[0], steps };
    });
}

/** More terms than these are tried in fewer orders. */
const permutedMost = 3;

/** Orders of so many things: all of them, or each one as the last with the others before it as they are and reversed. */
export function ordersOf(count: number): readonly (readonly number[])[] {
  const all = Array.from({ length: count }, (_, i) => i);
  if (count <= permutedMost) return permutations(all);
  return all.flatMap((last) => {
    const others = all.filter((one) => one !== last);
    return [
      [...others, last],
      [...others.reverse(), last],
    ];
  });
}

function permutations(all: readonly number[]): readonly (readonly number[])[] {
  if (all.length <= 1) return [all];
  return all.flatMap((first) => permutations(all.filter((one) => one !== first)).map((rest) => [first, ...rest]));
}

function withTerm(spec: PodSpec, term: NodeSelectorTerm): PodSpec {
  const nodeAffinity = {
    ...spec.affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
  };
  return { ...spec, affinity: { ...spec.affinity, nodeAffinity } };
}
