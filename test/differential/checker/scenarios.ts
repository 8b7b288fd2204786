/** What the claims may turn out to be: each a choice of one machine for every claim. */
import type { Pod } from "#api/core-v1/pod.ts";
import { Random } from "../generator/random.ts";
import { labelings, type Machine } from "./machines.ts";
import type { Labels } from "./matching.ts";
import type { SettledClaim } from "./settled-claim.ts";

/** All combinations where there are at most so many, else a sample. */
const mostScenarios = 24;

/** Labels of each claim's node, in the order of the claims; the cheapest machines come first. */
export function scenarios(claims: readonly SettledClaim[], pods: readonly Pod[]): readonly (readonly Labels[])[] {
  const keys = topologyKeys(pods);
  const choices = claims.map((claim) => choicesOf(claim, keys));
  const combinations = choices.reduce((n, list) => Math.min(n * list.length, mostScenarios + 1), 1);
  if (combinations <= mostScenarios) return product(choices);
  const random = new Random(1);
  const first = choices.map((list) => list.slice(0, 1).flat());
  const last = choices.map((list) => list.slice(-1).flat());
  const drawn = Array.from({ length: mostScenarios - 2 }, () => choices.map((list) => random.pick(list)));
  return [first.flat(), last.flat(), ...drawn];
}

function topologyKeys(pods: readonly Pod[]): readonly string[] {
  const keys = pods.flatMap(({ spec }) => [
    ...(spec.topologySpreadConstraints ?? []),
    ...(spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
  ]);
  return [...new Set(keys.map(({ topologyKey }) => topologyKey))].sort();
}

/** The claim's machines as far as they differ in the labels that matter. */
function choicesOf({ where, machines }: SettledClaim, keys: readonly string[]): readonly Labels[] {
  const byPrice = [...machines].sort((a, b) => a.price - b.price || (nameOf(a) < nameOf(b) ? -1 : 1));
  const different = new Map<string, Labels>();
  for (const machine of byPrice) {
    for (const labels of labelings(machine, keys)) {
      const key = JSON.stringify(keys.map((one) => labels[one] ?? null));
      if (!different.has(key)) different.set(key, { ...labels, "kubernetes.io/hostname": where });
    }
  }
  return [...different.values()];
}

function product(choices: readonly (readonly Labels[])[]): readonly (readonly Labels[])[] {
  return choices.reduce<readonly (readonly Labels[])[]>(
    (all, list) => all.flatMap((before) => list.map((one) => [...before, one])),
    [[]],
  );
}

function nameOf({ type, zone, capacityType }: Machine): string {
  return `${type} ${zone} ${capacityType}`;
}
