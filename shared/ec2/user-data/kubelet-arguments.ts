/**
 * Karpenter counterpart: pkg/providers/amifamily/bootstrap/bootstrap.go, kubeletExtraArgs. It differs: maps are written in
 * order of their keys, so that the same class is the same text.
 */
import type { Taint } from "#api/core-v1/pod.ts";
import type { KubeletConfiguration } from "#api/ec2-v1/ec2nodeclass.ts";
import type { Bootstrap } from "#core/command.ts";

/** The kubelet's flags of AL2 and Windows, in Karpenter's order. */
export function kubeletArguments(
  { labels, taints, maxPods }: Bootstrap,
  kubelet: KubeletConfiguration,
): readonly string[] {
  return [
    ...flag("node-labels", pairs(labels, "=")),
    ...flag("register-with-taints", taints.map(taintText).join(",")),
    ...flag("max-pods", maxPods),
    ...flag("pods-per-core", kubelet.podsPerCore),
    ...flag("system-reserved", pairs(kubelet.systemReserved, "=")),
    ...flag("kube-reserved", pairs(kubelet.kubeReserved, "=")),
    ...flag("eviction-hard", pairs(kubelet.evictionHard, "<")),
    ...flag("eviction-soft", pairs(kubelet.evictionSoft, "<")),
    ...flag("eviction-soft-grace-period", pairs(kubelet.evictionSoftGracePeriod, "=")),
    ...flag("eviction-max-pod-grace-period", kubelet.evictionMaxPodGracePeriod),
    ...flag("image-gc-high-threshold", kubelet.imageGCHighThresholdPercent),
    ...flag("image-gc-low-threshold", kubelet.imageGCLowThresholdPercent),
    ...flag("cpu-cfs-quota", kubelet.cpuCFSQuota),
  ];
}

/** "k=v,l=w" in order of the keys. */
export function pairs(values: Readonly<Record<string, string>> | undefined, separator: string): string {
  return Object.entries(values ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}${separator}${value}`)
    .join(",");
}

function taintText({ key, value, effect }: Taint): string {
  return `${key}=${value ?? ""}:${effect}`;
}

function flag(name: string, value: string | number | boolean | undefined): readonly string[] {
  return value === undefined || value === "" ? [] : [`--${name}="${value}"`];
}
