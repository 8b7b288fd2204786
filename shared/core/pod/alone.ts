/**
 * Karpenter counterpart: none. An opt-in rule (ignoreWhenAloneNamespaces): what a cluster runs for its users' pods, such as
 * DNS, is of no use without them. Alone it wakes no cluster at zero and keeps no node.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import type { Settings } from "../settings.ts";
import type { Snapshot } from "../snapshot.ts";
import { isReschedulable } from "./pod-predicates.ts";

/** The pod is of a namespace that the settings name. */
export function isOfIgnoredNamespace(
  { metadata }: Pod,
  settings: Pick<Settings, "ignoreWhenAloneNamespaces">,
): boolean {
  return settings.ignoreWhenAloneNamespaces.includes(metadata.namespace ?? "default");
}

/**
 * Says of a pod whether it is alone: of a namespace that the settings name, while the whole cluster has no pod of another
 * one that runs or waits. Daemons and static pods are nobody's company. A pod that cannot be read may be anybody's.
 */
export function alonePods({ settings, cluster }: Pick<Snapshot, "settings" | "cluster">): (pod: Pod) => boolean {
  const isOff = settings.ignoreWhenAloneNamespaces.length === 0;
  if (isOff || cluster.problems.some(({ ref }) => ref.kind === "Pod")) return () => false;
  const hasCompany = cluster.pods.some((pod) => isReschedulable(pod) && !isOfIgnoredNamespace(pod, settings));
  return hasCompany ? () => false : (pod) => isOfIgnoredNamespace(pod, settings);
}
