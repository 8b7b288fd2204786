/**
 * An oracle: where volumes can be and how many a node attaches, written from Kubernetes' rules and apart from
 * shared/core/scheduling on purpose: here is what happens to a plan, so that a mistake of either shows.
 */
import type { PersistentVolume, PersistentVolumeClaim } from "#api/core-v1/cluster-objects.ts";
import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import { normalizedLabels, regionLabel, zoneLabel } from "#api/karpenter-v1/labels.ts";
import type { ApiServer } from "../api-server/api-server.ts";
import { claimNamesOf } from "../controllers/volume-attachment.ts";
import { availableVolumes, classOf, isBound, noProvisioner, waitsForConsumer } from "../controllers/volume-binding.ts";
import { anyTermMatches } from "./node-affinity.ts";
import type { NodeInfo } from "./node-info.ts";

export const volumeNodeReason = "node(s) didn't match PersistentVolume's node affinity";
export const volumeZoneReason = "node(s) had no available volume zone";
export const volumeBindReason = "node(s) didn't find available persistent volumes to bind";
export const volumeCountReason = "node(s) exceed max volume count";
export const unboundImmediateReason = "pod has unbound immediate PersistentVolumeClaims";

export type VolumeAnswer =
  /** No node can help before something else happens. */
  | { readonly kind: "waits"; readonly message: string }
  | {
      readonly kind: "filter";
      readonly filter: (node: NodeInfo) => string | undefined;
      /** Claims that wait for this pod to have a node. */
      readonly toBind: readonly PersistentVolumeClaim[];
    };

interface PodVolumes {
  readonly kind: "volumes";
  readonly claims: readonly PersistentVolumeClaim[];
  readonly bound: readonly PersistentVolume[];
  readonly toBind: readonly PersistentVolumeClaim[];
}

/** What a pod's volumes allow: zones and nodes of bound ones, what can be made for unbound ones, limits of the node. */
export function volumeFilter(pod: Pod, api: ApiServer): VolumeAnswer {
  const found = podVolumes(pod, api);
  if (found.kind === "waits") return found;
  const { claims, bound, toBind } = found;
  if (claims.length === 0) return { kind: "filter", filter: () => undefined, toBind };
  const filter = (info: NodeInfo): string | undefined => {
    const { node } = info;
    if (node === undefined) return volumeNodeReason;
    if (bound.some((volume) => !zoneFits(volume, node))) return volumeZoneReason;
    if (bound.some((volume) => !nodeFits(volume, node))) return volumeNodeReason;
    if (toBind.some((claim) => !canBeMade(claim, node, api))) return volumeBindReason;
    return exceedsLimit(info, claims, api) ? volumeCountReason : undefined;
  };
  return { kind: "filter", filter, toBind };
}

function podVolumes(pod: Pod, api: ApiServer): PodVolumes | Extract<VolumeAnswer, { kind: "waits" }> {
  const claims: PersistentVolumeClaim[] = [];
  const bound: PersistentVolume[] = [];
  const toBind: PersistentVolumeClaim[] = [];
  for (const claimName of claimNamesOf(pod)) {
    const claim = api.store.get("PersistentVolumeClaim", `${pod.metadata.namespace}/${claimName}`);
    if (claim === undefined) return waits(`persistentvolumeclaim "${claimName}" not found`);
    if (claim.metadata.deletionTimestamp !== undefined) {
      return waits(`persistentvolumeclaim "${claimName}" is being deleted`);
    }
    claims.push(claim);
    const volume = isBound(claim) ? api.store.get("PersistentVolume", claim.spec.volumeName ?? "") : undefined;
    if (volume !== undefined) bound.push(volume);
    else if (isBound(claim)) return waits(`persistentvolume "${claim.spec.volumeName}" not found`);
    else if (waitsForConsumer(claim, api)) toBind.push(claim);
    else return waits(unboundImmediateReason);
  }
  return { kind: "volumes", claims, bound, toBind };
}

function waits(message: string): Extract<VolumeAnswer, { kind: "waits" }> {
  return { kind: "waits", message };
}

function nodeFits(volume: PersistentVolume, node: Node): boolean {
  const terms = volume.spec.nodeAffinity?.required?.nodeSelectorTerms;
  return terms === undefined || anyTermMatches(terms, node);
}

/** The older way: labels of the volume; several zones are joined by "__". */
function zoneFits(volume: PersistentVolume, node: Node): boolean {
  return Object.entries(volume.metadata.labels ?? {}).every(([key, value]) => {
    const label = normalizedLabels[key] ?? key;
    if (label !== zoneLabel && label !== regionLabel) return true;
    return value.split("__").includes(node.metadata.labels?.[label] ?? "");
  });
}

function canBeMade(claim: PersistentVolumeClaim, node: Node, api: ApiServer): boolean {
  if (availableVolumes(claim, api).some((volume) => nodeFits(volume, node))) return true;
  const storageClass = classOf(claim, api);
  if (storageClass === undefined || storageClass.provisioner === noProvisioner) return false;
  const allowed = storageClass.allowedTopologies ?? [];
  if (allowed.length === 0) return true;
  const matchExpressions = allowed.map(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.map(({ key, values }) => ({
      key: normalizedLabels[key] ?? key,
      operator: "In" as const,
      values,
    })),
  );
  return anyTermMatches(
    matchExpressions.map((expressions) => ({ matchExpressions: expressions })),
    node,
  );
}

/** CSINode: each driver attaches only so many different volumes to a node. */
function exceedsLimit(info: NodeInfo, claims: readonly PersistentVolumeClaim[], api: ApiServer): boolean {
  const drivers = api.store.get("CSINode", info.name)?.spec.drivers ?? [];
  return drivers.some(({ name, allocatable }) => {
    const used = new Set([...info.pods.values()].flatMap(({ pod }) => handlesOf(claimsOf(pod, api), name, api)));
    const fresh = handlesOf(claims, name, api).filter((handle) => !used.has(handle));
    return fresh.length > 0 && used.size + new Set(fresh).size > (allocatable?.count ?? Number.POSITIVE_INFINITY);
  });
}

function claimsOf(pod: Pod, api: ApiServer): readonly PersistentVolumeClaim[] {
  return claimNamesOf(pod).flatMap(
    (name) => api.store.get("PersistentVolumeClaim", `${pod.metadata.namespace}/${name}`) ?? [],
  );
}

function handlesOf(claims: readonly PersistentVolumeClaim[], driver: string, api: ApiServer): readonly string[] {
  return claims
    .filter((claim) => driverOf(claim, api) === driver)
    .map(({ metadata, spec }) => spec.volumeName ?? `${metadata.namespace}/${metadata.name}`);
}

function driverOf(claim: PersistentVolumeClaim, api: ApiServer): string | undefined {
  const volume = api.store.get("PersistentVolume", claim.spec.volumeName ?? "");
  return volume === undefined ? classOf(claim, api)?.provisioner : volume.spec.csi?.driver;
}
