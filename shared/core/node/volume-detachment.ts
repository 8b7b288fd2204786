/**
 * Karpenter counterpart: pkg/controllers/node/termination/controller.go, awaitVolumeDetachment. No difference: nothing is
 * detached here; the node waits for the attach-detach controller.
 */
import type { PersistentVolumeClaim, VolumeAttachment } from "#api/core-v1/cluster-objects.ts";
import type { Node } from "#api/core-v1/node.ts";
import type { Pod, Volume } from "#api/core-v1/pod.ts";
import { isDrainable } from "../pod/pod-predicates.ts";
import type { ClusterView } from "../snapshot.ts";

/** The attachments that must go before the instance may: all but those of pods that stay on the node to its end. */
export function blockingAttachments(
  cluster: Pick<ClusterView, "volumeAttachments" | "persistentVolumeClaims">,
  node: Node,
  pods: readonly Pod[],
  nowMs: number,
): readonly VolumeAttachment[] {
  const attached = cluster.volumeAttachments.filter(
    ({ spec }) => spec.nodeName === node.metadata.name && spec.source.persistentVolumeName !== undefined,
  );
  if (attached.length === 0) return attached;
  const staying = pods.filter((pod) => !isDrainable(pod, nowMs));
  const kept = volumesOf(staying, cluster.persistentVolumeClaims);
  return attached.filter(({ spec }) => !kept.has(spec.source.persistentVolumeName ?? ""));
}

/** Names of the PersistentVolumes that the pods use. */
function volumesOf(pods: readonly Pod[], claims: readonly PersistentVolumeClaim[]): ReadonlySet<string> {
  const byName = new Map(claims.map((claim) => [`${claim.metadata.namespace ?? ""}/${claim.metadata.name}`, claim]));
  return new Set(
    pods.flatMap((pod) =>
      (pod.spec.volumes ?? []).flatMap((volume) => {
        const name = claimName(pod, volume);
        return byName.get(`${pod.metadata.namespace ?? ""}/${name}`)?.spec.volumeName ?? [];
      }),
    ),
  );
}

/** An ephemeral volume's claim is named by its pod and the volume. */
function claimName(pod: Pod, volume: Volume): string | undefined {
  return volume.ephemeral === undefined
    ? volume.persistentVolumeClaim?.claimName
    : `${pod.metadata.name}-${volume.name}`;
}
