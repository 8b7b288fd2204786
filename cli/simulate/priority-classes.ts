import type { PriorityClass } from "#api/core-v1/cluster-objects.ts";
import type { KubeObject } from "#api/core-v1/meta.ts";
import type { PodSpec } from "#api/core-v1/pod.ts";

/** Every cluster has these. */
const builtIn: ReadonlySet<string> = new Set(["system-cluster-critical", "system-node-critical"]);

/**
 * The PriorityClasses that pods among `objects` name and that are not among them. Without one the API server refuses the
 * pod, and manifests of an application seldom bring it along; it is made with value 0, which changes no placement.
 */
export function absentPriorityClasses(objects: readonly KubeObject[]): readonly PriorityClass[] {
  const there = new Set(objects.flatMap(({ kind, metadata }) => (kind === "PriorityClass" ? [metadata.name] : [])));
  const named = new Set(objects.flatMap((object) => podSpecOf(object)?.priorityClassName ?? []));
  return [...named]
    .filter((name) => !there.has(name) && !builtIn.has(name))
    .sort()
    .map((name) => ({ apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name }, value: 0 }));
}

/** Of a pod, or of the pods that a workload makes. */
function podSpecOf(object: KubeObject): PodSpec | undefined {
  const { spec } = object as { readonly spec?: PodSpec & { readonly template?: { readonly spec?: PodSpec } } };
  return object.kind === "Pod" ? spec : spec?.template?.spec;
}
