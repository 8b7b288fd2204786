/**
 * Rules of a pod that the scheduler does not know yet: such a pod is refused in words instead of being placed wrongly.
 * Karpenter counterpart: pkg/controllers/provisioning/scheduling/scheduler.go, its refusal of pods with resource claims.
 * It differs in the words.
 */
import type { PodSpec } from "#api/core-v1/pod.ts";

/** The first such rule, as the end of the sentence "this pod uses …". */
export function unsupportedRule(spec: PodSpec): string | undefined {
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  const claims = (spec.resourceClaims ?? []).length + containers.flatMap((c) => c.resources?.claims ?? []).length;
  return claims > 0 ? "dynamic resource allocation (resourceClaims)" : undefined;
}
