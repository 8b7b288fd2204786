import type { KubeObject } from "#api/core-v1/meta.ts";
import type { Deployment } from "#api/core-v1/workload.ts";
import { objectName } from "#core/object-ref.ts";

interface WorkloadSource {
  readonly list: (kind: "Deployment" | "StatefulSet" | "ReplicaSet") => readonly (KubeObject & Deployment)[];
}

/** Workloads that have fewer pods than they ask for, in words. A ReplicaSet of a Deployment is told of as the Deployment. */
export function shortWorkloads(source: WorkloadSource): readonly string[] {
  return (["Deployment", "StatefulSet", "ReplicaSet"] as const).flatMap((kind) =>
    source.list(kind).flatMap(({ metadata, spec, status }) => {
      const wanted = spec.replicas ?? 1;
      const made = status?.replicas ?? 0;
      if (made >= wanted || (metadata.ownerReferences ?? []).length > 0) return [];
      return [`${kind} ${objectName(metadata)} has ${made} of ${wanted} pods`];
    }),
  );
}
