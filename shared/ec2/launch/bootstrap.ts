/**
 * Karpenter counterpart: pkg/providers/amifamily/resolver.go and bootstrap, the common inputs. It differs: this is data;
 * how a family writes it into user data is another room's.
 */
import type { Taint } from "#api/core-v1/pod.ts";
import type { EC2NodeClassSpec } from "#api/ec2-v1/ec2nodeclass.ts";
import { capacityTypeLabel, doNotSyncTaintsLabel, unregisteredTaintKey } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { Bootstrap } from "#core/command.ts";
import { amiFamilyOf } from "../node-class/ami-alias.ts";

/** Domains whose labels a kubelet may not give itself; they come at registration. Kubernetes: NodeRestriction. */
const restrictedDomains: readonly string[] = ["kubernetes.io", "k8s.io", "node-restriction.kubernetes.io"];
const unregistered: Taint = { key: unregisteredTaintKey, effect: "NoExecute" };

export function bootstrapOf(
  claim: NodeClaim,
  spec: EC2NodeClassSpec,
  clusterName: string,
  capacityType: string,
  maxPods: number | undefined,
): Bootstrap {
  // A Custom image is told nothing: its own user data must join the node with the unregistered taint and no labels.
  if (amiFamilyOf(spec) === "Custom") return { clusterName, labels: {}, taints: [unregistered] };
  const taints = [...(claim.spec.taints ?? []), ...(claim.spec.startupTaints ?? [])];
  const marked = taints.some(({ key, effect }) => key === unregistered.key && effect === unregistered.effect);
  return {
    clusterName,
    labels: bootLabels(claim, capacityType),
    taints: marked ? taints : [...taints, unregistered],
    ...(maxPods === undefined ? {} : { maxPods }),
    ...(spec.instanceStorePolicy === undefined ? {} : { instanceStorePolicy: spec.instanceStorePolicy }),
    ...keptByKubelet(spec),
  };
}

/** The fields of the class's kubelet that say how much of the machine is left for pods. */
function keptByKubelet({ kubelet = {} }: EC2NodeClassSpec): Pick<Bootstrap, "kubelet"> {
  const { systemReserved, kubeReserved, evictionHard } = kubelet;
  const kept = {
    ...(systemReserved === undefined ? {} : { systemReserved }),
    ...(kubeReserved === undefined ? {} : { kubeReserved }),
    ...(evictionHard === undefined ? {} : { evictionHard }),
  };
  return Object.keys(kept).length === 0 ? {} : { kubelet: kept };
}

/** Sorted by key. */
function bootLabels(claim: NodeClaim, capacityType: string): Readonly<Record<string, string>> {
  const labels = { ...claim.metadata.labels, [capacityTypeLabel]: capacityType, [doNotSyncTaintsLabel]: "true" };
  return Object.fromEntries(
    Object.entries(labels)
      .filter(([key]) => !isRestricted(key))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function isRestricted(key: string): boolean {
  const slash = key.indexOf("/");
  const domain = slash < 0 ? "" : key.slice(0, slash);
  return restrictedDomains.some((restricted) => domain === restricted || domain.endsWith(`.${restricted}`));
}
