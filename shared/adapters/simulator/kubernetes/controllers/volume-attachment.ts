import type { PersistentVolume } from "#api/core-v1/cluster-objects.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import { stableHash } from "#core/stable-hash.ts";
import type { ApiServer } from "../api-server/api-server.ts";
import type { Parts } from "../parts.ts";
import { Workqueue } from "../workqueue.ts";
import { isTerminal } from "./ownership.ts";

/** Names of the claims that a pod's volumes use. */
export function claimNamesOf(pod: Pod): readonly string[] {
  return (pod.spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName];
    return ephemeral === undefined ? [] : [`${pod.metadata.name}-${name}`];
  });
}

/** The bound volumes that a pod uses. */
export function volumesOf(pod: Pod, api: ApiServer): readonly PersistentVolume[] {
  return claimNamesOf(pod).flatMap((claimName) => {
    const claim = api.store.get("PersistentVolumeClaim", `${pod.metadata.namespace}/${claimName}`);
    return api.store.get("PersistentVolume", claim?.spec.volumeName ?? "") ?? [];
  });
}

/**
 * Kubernetes' attach-detach controller with a CSI driver: a volume is attached to the node of a pod that uses it, and
 * detached when no pod there does any more.
 */
export function startVolumeAttachments(parts: Parts): void {
  const { api, clock, delays } = parts;
  const queue = new Workqueue(clock, delays.controllerMs, (nodeName) => {
    const wanted = wantedOn(nodeName, api);
    for (const [name, volume] of wanted) attach(name, volume, nodeName, parts);
    for (const { metadata, spec } of api.store.list("VolumeAttachment")) {
      if (spec.nodeName === nodeName && !wanted.has(metadata.name)) detachLater(metadata.name, nodeName, parts);
    }
  });
  api.store.listen(({ object, previous }) => {
    if (object.kind !== "Pod") return;
    const pod = object as Pod;
    const { nodeName } = pod.spec;
    const moved = (previous as Pod | undefined)?.spec.nodeName !== nodeName;
    const ended = pod.metadata.deletionTimestamp !== undefined || isTerminal(pod);
    if (nodeName !== undefined && (moved || ended) && claimNamesOf(pod).length > 0) queue.add(nodeName);
  });
}

/** Volumes that pods on the node use, by the name of their attachment. */
function wantedOn(nodeName: string, api: ApiServer): ReadonlyMap<string, PersistentVolume> {
  const volumes = api.store
    .podsOnNode(nodeName)
    .filter((pod) => !isTerminal(pod))
    .flatMap((pod) => volumesOf(pod, api))
    .filter(({ spec }) => spec.csi !== undefined);
  return new Map(volumes.map((volume) => [nameOf(volume, nodeName), volume]));
}

function attach(name: string, volume: PersistentVolume, nodeName: string, { api, clock, delays }: Parts): void {
  const answer = api.create({
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttachment",
    metadata: { name },
    spec: { attacher: volume.spec.csi?.driver, nodeName, source: { persistentVolumeName: volume.metadata.name } },
  });
  if (answer.kind === "refused") return;
  clock.after(delays.volumeAttachMs, () => api.patchStatus("VolumeAttachment", name, undefined, { attached: true }));
}

function detachLater(name: string, nodeName: string, { api, clock, delays }: Parts): void {
  clock.after(delays.volumeDetachMs, () => {
    if (!wantedOn(nodeName, api).has(name)) api.delete("VolumeAttachment", name, undefined);
  });
}

function nameOf(volume: PersistentVolume, nodeName: string): string {
  return `csi-${stableHash(`${volume.metadata.name} ${nodeName}`, 12)}`;
}
