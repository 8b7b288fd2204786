/** Rules of a pod that the scheduler does not know yet: such a pod is refused in words instead of being placed wrongly. */
import type { PodSpec } from "#api/core-v1/pod.ts";

/** The first such rule, as the end of the sentence "this pod uses …". */
export function unsupportedRule(spec: PodSpec): string | undefined {
  const spread = spec.topologySpreadConstraints?.find((one) => one.whenUnsatisfiable === "DoNotSchedule");
  if (spread !== undefined) return `a topology spread over ${spread.topologyKey} with whenUnsatisfiable: DoNotSchedule`;
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  if ((podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).length > 0) return "required pod affinity";
  if ((podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).length > 0) {
    return "required pod anti-affinity";
  }
  const volume = spec.volumes?.find((one) => one.persistentVolumeClaim !== undefined || one.ephemeral !== undefined);
  if (volume !== undefined) return `the persistent volume "${volume.name}"`;
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  const claims = (spec.resourceClaims ?? []).length + containers.flatMap((c) => c.resources?.claims ?? []).length;
  return claims > 0 ? "dynamic resource allocation (resourceClaims)" : undefined;
}
