/**
 * Volumes that somebody made by hand, for claims whose class has no provisioner. Karpenter counterpart: none; it takes such
 * a claim for one whose volume will be made wherever the pod runs. The rules are those of Kubernetes' volume binder.
 */
import type { PersistentVolume, PersistentVolumeClaim } from "#api/core-v1/cluster-objects.ts";
import { hostnameLabel } from "#api/karpenter-v1/labels.ts";
import { compileSelector } from "#api/label-selector.ts";
import { quantityToInteger } from "#api/quantity.ts";

/** Kubernetes: the provisioner of classes whose volumes are made by hand. */
export const noProvisioner = "kubernetes.io/no-provisioner";

/** Of nobody, or kept for this claim. */
export function isFree({ metadata, spec }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  const { claimRef } = spec;
  if (claimRef === undefined) return true;
  const { name, namespace = "default" } = claim.metadata;
  return claimRef.name === name && (claimRef.namespace ?? "default") === namespace;
}

export function serves(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const { accessModes = [], volumeMode = "Filesystem", selector, resources } = claim.spec;
  const { spec } = volume;
  return (
    isFree(volume, claim) &&
    (spec.volumeMode ?? "Filesystem") === volumeMode &&
    accessModes.every((mode) => (spec.accessModes ?? accessModes).includes(mode)) &&
    (selector === undefined || compileSelector(selector)(volume.metadata.labels)) &&
    bytesOf(spec.capacity?.storage, Infinity) >= bytesOf(resources?.requests?.storage, 0)
  );
}

/** Not on the disk of a node that is gone or going. */
export function isWithinReach({ spec }: PersistentVolume, isStaying: (hostname: string) => boolean): boolean {
  if (spec.local === undefined && spec.hostPath === undefined) return true;
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const hosts = terms.flatMap(({ matchExpressions = [] }) =>
    matchExpressions.flatMap(({ key, values = [] }) => (key === hostnameLabel ? values : [])),
  );
  return hosts.length === 0 || hosts.some(isStaying);
}

/** " (10Gi, ReadWriteOnce)": what the claim asks of a volume. */
export function wantedOf({ spec }: PersistentVolumeClaim): string {
  const parts = [spec.resources?.requests?.storage, ...(spec.accessModes ?? [])].filter((part) => part !== undefined);
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

function bytesOf(text: string | undefined, otherwise: number): number {
  return text === undefined ? otherwise : (quantityToInteger("storage", text, "up") ?? otherwise);
}
