/**
 * What a pod asks of other pods at each step of relaxation. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/preferences.go, the steps that concern pods.
 */
import { type PodRules, type SpreadRule, type StatedRules, textOf } from "./pod-rules.ts";

export interface RuleLadder {
  /** No wishes. */
  readonly required: PodRules;
  /** The strictest first: wishes about pods go one by one, affinity before anti-affinity, the heaviest first. */
  readonly ofPods: readonly PodRules[];
  /** Then, below the last of `ofPods`, soft spreads go one by one. */
  readonly ofSpreads: readonly PodRules[];
  /** Canonical: equal for equal rules. */
  readonly text: string;
}

export function ruleLadder(stated: StatedRules, policy: "Respect" | "Ignore"): RuleLadder {
  const { required } = stated;
  const respected = policy === "Respect";
  const nears = respected ? stated.preferredAffinities : [];
  const aparts = respected ? stated.preferredAntiAffinities : [];
  const softs = respected ? stated.softSpreads : [];
  const without = (near: number, apart: number, soft: number): PodRules => ({
    spreads: [...required.spreads, ...softs.slice(soft)],
    affinities: [...required.affinities, ...nears.slice(near)],
    antiAffinities: [...required.antiAffinities, ...aparts.slice(apart)],
  });
  const text = JSON.stringify([textOfRules(required), nears.map(textOf), aparts.map(textOf), softs.map(textOfSpread)]);
  if (nears.length + aparts.length + softs.length === 0) return { required, ofPods: [required], ofSpreads: [], text };
  return {
    required,
    ofPods: [
      ...range(nears.length + 1).map((near) => without(near, 0, 0)),
      ...range(aparts.length).map((apart) => without(nears.length, apart + 1, 0)),
    ],
    ofSpreads: range(softs.length).map((soft) => without(nears.length, aparts.length, soft + 1)),
    text,
  };
}

function textOfRules({ spreads, affinities, antiAffinities }: PodRules): readonly (readonly string[])[] {
  return [spreads.map(textOfSpread).sort(), affinities.map(textOf).sort(), antiAffinities.map(textOf).sort()];
}

function textOfSpread(rule: SpreadRule): string {
  const { topologyKey, selector, maxSkew, minDomains, honorsAffinity, honorsTaints } = rule;
  return JSON.stringify([topologyKey, selector.text, maxSkew, minDomains, honorsAffinity, honorsTaints]);
}

function range(length: number): readonly number[] {
  return Array.from({ length }, (_, i) => i);
}
