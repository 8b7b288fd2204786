import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "#api/core-v1/cluster-objects.ts";
import type { NodeSelectorTerm, Pod } from "#api/core-v1/pod.ts";
import { zoneLabel } from "#api/karpenter-v1/labels.ts";
import type { ApiServer } from "../api-server/api-server.ts";
import type { Parts } from "../parts.ts";
import { anyTermMatches } from "../scheduler/node-affinity.ts";
import { Workqueue } from "../workqueue.ts";
import { controllerReference } from "./ownership.ts";

export const selectedNodeAnnotation = "volume.kubernetes.io/selected-node";
export const boundAnnotation = "pv.kubernetes.io/bind-completed";
/** A class whose volumes are made by hand. */
export const noProvisioner = "kubernetes.io/no-provisioner";

/** What names the claim that a volume is for; Outrigger does not read it. */
interface ClaimedVolume {
  readonly claimRef?: { readonly name: string; readonly namespace?: string };
}

export function isBound(claim: PersistentVolumeClaim): boolean {
  return claim.spec.volumeName !== undefined && claim.metadata.annotations?.[boundAnnotation] !== undefined;
}

export function classOf(claim: PersistentVolumeClaim, api: ApiServer): StorageClass | undefined {
  const name = claim.spec.storageClassName;
  return name === undefined || name === "" ? undefined : api.store.get("StorageClass", name);
}

export function waitsForConsumer(claim: PersistentVolumeClaim, api: ApiServer): boolean {
  return classOf(claim, api)?.volumeBindingMode === "WaitForFirstConsumer";
}

/** Volumes made by hand that this claim could have. Sizes and access modes are not compared. */
export function availableVolumes(claim: PersistentVolumeClaim, api: ApiServer): readonly PersistentVolume[] {
  const { name, namespace } = claim.metadata;
  return api.store.list("PersistentVolume").filter(({ spec }) => {
    const { claimRef } = spec as ClaimedVolume;
    const free = claimRef === undefined || (claimRef.name === name && (claimRef.namespace ?? namespace) === namespace);
    return free && (spec.storageClassName ?? "") === (claim.spec.storageClassName ?? "");
  });
}

/**
 * The volume controllers of Kubernetes and a CSI provisioner: generic ephemeral volumes get their claims, claims get
 * their volumes. A claim that waits for its first consumer is served when the scheduler has selected a node.
 */
export function startVolumeBinding(parts: Parts): void {
  const { api, clock, delays } = parts;
  const queue = new Workqueue(clock, delays.controllerMs, (key) => {
    const claim = api.store.get("PersistentVolumeClaim", key);
    if (claim !== undefined && claim.metadata.deletionTimestamp === undefined && !isBound(claim)) serve(claim, parts);
  });
  api.store.listen(({ object, type }) => {
    const { namespace, name } = object.metadata;
    if (object.kind === "PersistentVolumeClaim") {
      if (type === "DELETED") releaseVolume(object as PersistentVolumeClaim, api);
      else queue.add(`${namespace}/${name}`);
    }
    if (object.kind === "PersistentVolume" || object.kind === "StorageClass") queueOpen(api, queue);
    if (object.kind === "Pod" && type === "ADDED") createEphemeralClaims(object as Pod, api);
  });
}

function queueOpen(api: ApiServer, queue: Workqueue): void {
  for (const claim of api.store.list("PersistentVolumeClaim")) {
    if (!isBound(claim)) queue.add(`${claim.metadata.namespace}/${claim.metadata.name}`);
  }
}

function serve(claim: PersistentVolumeClaim, parts: Parts): void {
  const { api } = parts;
  if (claim.spec.volumeName !== undefined) {
    if (api.store.get("PersistentVolume", claim.spec.volumeName) !== undefined) bind(claim, claim.spec.volumeName, api);
    return;
  }
  const selected = claim.metadata.annotations?.[selectedNodeAnnotation];
  if (waitsForConsumer(claim, api) && selected === undefined) return;
  const node = selected === undefined ? undefined : api.store.get("Node", selected);
  const byHand = availableVolumes(claim, api).find(({ spec }) => {
    const terms = spec.nodeAffinity?.required?.nodeSelectorTerms;
    return node === undefined || terms === undefined || anyTermMatches(terms, node);
  });
  if (byHand !== undefined) bind(claim, byHand.metadata.name, api);
  else provisionLater(claim, node?.metadata.labels?.[zoneLabel], parts);
}

function provisionLater(claim: PersistentVolumeClaim, nodeZone: string | undefined, parts: Parts): void {
  const { api, clock, delays } = parts;
  const storageClass = classOf(claim, api);
  if (storageClass === undefined || storageClass.provisioner === noProvisioner) return;
  const zone = nodeZone ?? someZone(storageClass, parts);
  const key = `${claim.metadata.namespace}/${claim.metadata.name}`;
  clock.after(delays.volumeProvisionMs, () => {
    const current = api.store.get("PersistentVolumeClaim", key);
    if (current === undefined || isBound(current) || current.metadata.uid !== claim.metadata.uid) return;
    const name = `pvc-${claim.metadata.uid}`;
    api.create(provisioned(name, storageClass, zone));
    bind(current, name, api);
  });
}

function bind(claim: PersistentVolumeClaim, volumeName: string, api: ApiServer): void {
  const { name, namespace = "default", uid = "" } = claim.metadata;
  const claimRef = { kind: "PersistentVolumeClaim", namespace, name, uid };
  api.patch("PersistentVolume", volumeName, undefined, { spec: { claimRef } });
  api.patchStatus("PersistentVolume", volumeName, undefined, { phase: "Bound" });
  api.patchStatus("PersistentVolumeClaim", name, namespace, { phase: "Bound" });
  const annotations = { [boundAnnotation]: "yes" };
  api.patch("PersistentVolumeClaim", name, namespace, { metadata: { annotations }, spec: { volumeName } });
}

function provisioned(name: string, storageClass: StorageClass, zone: string | undefined): object {
  const term: NodeSelectorTerm = { matchExpressions: [{ key: zoneLabel, operator: "In", values: [zone ?? ""] }] };
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: {
      storageClassName: storageClass.metadata.name,
      persistentVolumeReclaimPolicy: "Delete",
      csi: { driver: storageClass.provisioner, volumeHandle: name },
      ...(zone === undefined ? {} : { nodeAffinity: { required: { nodeSelectorTerms: [term] } } }),
    },
  };
}

/** Immediate binding knows no pod: the provisioner takes an allowed zone, or one where there are nodes. */
function someZone(storageClass: StorageClass, { api, random }: Parts): string | undefined {
  const allowed = (storageClass.allowedTopologies ?? [])
    .flatMap(({ matchLabelExpressions = [] }) => matchLabelExpressions)
    .filter(({ key }) => key === zoneLabel)
    .flatMap(({ values }) => values);
  const present = api.store.list("Node").flatMap(({ metadata }) => metadata.labels?.[zoneLabel] ?? []);
  const zones = [...new Set(allowed.length > 0 ? allowed : present)].sort();
  return zones[Math.floor(random() * zones.length)];
}

function releaseVolume(claim: PersistentVolumeClaim, api: ApiServer): void {
  const volume = api.store.get("PersistentVolume", claim.spec.volumeName ?? "");
  const policy = (volume?.spec as { readonly persistentVolumeReclaimPolicy?: string } | undefined)
    ?.persistentVolumeReclaimPolicy;
  if (volume !== undefined && policy === "Delete") api.delete("PersistentVolume", volume.metadata.name, undefined);
}

function createEphemeralClaims(pod: Pod, api: ApiServer): void {
  for (const { name, ephemeral } of pod.spec.volumes ?? []) {
    if (ephemeral === undefined) continue;
    api.create({
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: {
        name: `${pod.metadata.name}-${name}`,
        namespace: pod.metadata.namespace,
        ownerReferences: [controllerReference(pod)],
      },
      spec: ephemeral.volumeClaimTemplate.spec,
    });
  }
}
