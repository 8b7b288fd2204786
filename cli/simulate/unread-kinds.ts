import type { UnknownKind } from "../manifests/load.ts";

/** Kinds that make pods and whose controllers are not simulated. */
const podMakers: ReadonlySet<string> = new Set([
  "CronJob",
  "ReplicationController",
  "Rollout",
  "CloneSet",
  "DeploymentConfig",
  "ScaledJob",
  "SparkApplication",
  "RayCluster",
  "PyTorchJob",
  "Workflow",
  "JobSet",
]);

/** A line for each kind that is left out; what its pods would need is missing from the run, and that is said. */
export function unreadKindNotes(kinds: readonly UnknownKind[]): readonly string[] {
  return kinds.map(({ apiVersion, kind, count }) => {
    const which = `left out: ${count} ${kind} (${apiVersion}), a kind that is not read`;
    return podMakers.has(kind) ? `${which}: the pods that it would make are missing from this run` : which;
  });
}
