/**
 * What a pod asks of its node's labels and taints, compiled once for all pods that ask for the same. Karpenter counterpart:
 * pkg/scheduling/requirements.go, NewPodRequirements; see node-affinity.ts for what differs.
 */
import type { PodSpec, Toleration } from "#api/core-v1/pod.ts";
import { preferredTerms, requiredAlternatives } from "./node-affinity.ts";
import { impossibleKey, intersectRequirements, keyOfRequirements, type Requirements } from "./requirements.ts";

export interface NodeAsk {
  /** nodeSelector with each required term; OR-ed, an empty list: no node can do. */
  readonly required: readonly Requirements[];
  /** The same under each preferred term that does not contradict it, the heaviest first. */
  readonly wishes: readonly (readonly Requirements[])[];
  readonly tolerations: readonly Toleration[];
  /** Canonical: equal for equal asks. */
  readonly text: string;
}

export function nodeAsk(spec: PodSpec, policy: "Respect" | "Ignore"): NodeAsk {
  const required = requiredAlternatives(spec).filter(isPossible);
  const wishes = policy === "Ignore" ? [] : preferredAlternatives(spec, required);
  const tolerations = spec.tolerations ?? [];
  const text = JSON.stringify([
    required.map(keyOfRequirements),
    wishes.map((alternatives) => alternatives.map(keyOfRequirements)),
    tolerations.map(textOfToleration).sort(),
  ]);
  return { required, wishes, tolerations, text };
}

function preferredAlternatives(spec: PodSpec, required: readonly Requirements[]): readonly (readonly Requirements[])[] {
  return preferredTerms(spec)
    .map((preferred) => required.map((one) => intersectRequirements(one, preferred)).filter(isPossible))
    .filter((alternatives) => alternatives.length > 0);
}

function isPossible(requirements: Requirements): boolean {
  return impossibleKey(requirements) === undefined;
}

function textOfToleration({ key, operator, value, effect }: Toleration): string {
  return JSON.stringify([key, operator, value, effect]);
}
