/**
 * The volumes of the pods of a problem in the form in which they are scheduled: pods whose volumes are in the same places
 * and need as many attachments are alike, however their claims are called. Only a volume that several pods use has to be
 * known by name, since the second of them on a node attaches nothing. Karpenter counterpart: none; it keeps the names of
 * all volumes of every pod.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import type { Resources } from "../../instance-type.ts";
import { objectName } from "../../object-ref.ts";
import { isTerminal } from "../../pod/pod-predicates.ts";
import { keyOfRequirements } from "../requirements/requirements.ts";
import { attachmentResource } from "./csi-driver.ts";
import type { Attachment, PodVolumes, VolumeIndex } from "./pod-volumes.ts";
import type { Alternatives } from "./volume-topology.ts";

export interface VolumeNeeds {
  readonly places: Alternatives;
  /** All attachments of one such pod, as amounts of pseudo-resources. */
  readonly requests: Resources;
  /** Of those, the ones that other pods use too. */
  readonly shared: readonly Attachment[];
  /** Canonical text of all the above. */
  readonly text: string;
}

/** By the pod's `namespace/name`; pods without volumes that matter are left out. */
export type VolumeNeedsByPod = ReadonlyMap<string, VolumeNeeds>;

export const noVolumeNeeds: VolumeNeedsByPod = new Map();

/** `everyPod`: all of the cluster, because a running pod may use the volume of a waiting one. */
export function volumeNeedsOf(
  volumes: ReadonlyMap<Pod, PodVolumes>,
  everyPod: readonly Pod[],
  index: VolumeIndex,
): VolumeNeedsByPod {
  if (volumes.size === 0) return noVolumeNeeds;
  const users = new Map<string, number>();
  for (const pod of everyPod) {
    if (pod.spec.volumes === undefined || isTerminal(pod)) continue;
    for (const attachment of index.attachmentsOf(pod)) {
      const key = keyOfAttachment(attachment);
      users.set(key, (users.get(key) ?? 0) + 1);
    }
  }
  return new Map([...volumes].map(([pod, one]) => [objectName(pod.metadata), needsOf(one, users)]));
}

export function keyOfAttachment({ driver, volume }: Attachment): string {
  return `${driver} ${volume}`;
}

function needsOf({ places, attachments }: PodVolumes, users: ReadonlyMap<string, number>): VolumeNeeds {
  const requests: Record<string, number> = {};
  for (const { driver } of attachments) {
    const name = attachmentResource(driver);
    requests[name] = (requests[name] ?? 0) + 1;
  }
  const shared = attachments.filter((one) => (users.get(keyOfAttachment(one)) ?? 0) > 1);
  const text = JSON.stringify([places.map(keyOfRequirements), Object.entries(requests), shared.map(keyOfAttachment)]);
  return { places, requests, shared, text };
}
