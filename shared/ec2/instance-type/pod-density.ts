/**
 * Karpenter counterpart: pkg/providers/instancetype/types.go, pods and ENILimitedPods. No difference.
 */
import type { KubeletConfiguration, NetworkInterface } from "#api/ec2-v1/ec2nodeclass.ts";
import type { CatalogueType } from "./catalogue.ts";
import type { FamilyRules } from "./family-rules.ts";

/** Karpenter: pods where interfaces set no limit. Kubernetes: the kubelet's default. */
const podsWithoutEniLimit = 110;

/** Each interface keeps one address for itself; two host-network daemons (CNI, kube-proxy) need none. */
export function eniPods(type: CatalogueType, reservedEnis: number, nics: readonly NetworkInterface[]): number {
  const efaOnly = nics.filter(
    ({ networkCardIndex, interfaceType }) => networkCardIndex === 0 && interfaceType === "efa-only",
  );
  const usable = Math.max(type.enis - reservedEnis - efaOnly.length, 0);
  return usable === 0 ? 0 : usable * (type.ipv4PerEni - 1) + 2;
}

export function maxPods(
  type: CatalogueType,
  rules: FamilyRules,
  kubelet: KubeletConfiguration,
  reservedEnis: number,
  nics: readonly NetworkInterface[],
): number {
  const limit = rules.podsByEni ? eniPods(type, reservedEnis, nics) : podsWithoutEniLimit;
  const pods = kubelet.maxPods ?? limit;
  const perCore = rules.podsPerCore ? (kubelet.podsPerCore ?? 0) : 0;
  return perCore > 0 ? Math.min(pods, perCore * type.vcpus) : pods;
}
