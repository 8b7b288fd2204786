import { capacityTypeLabel, instanceTypeLabel, zoneLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { clusterIdentityTag, nodeClaimUidTag } from "#api/outrigger-names.ts";
import { parseTime } from "#api/time.ts";
import type { Instance } from "#core/instance.ts";
import { instanceIdOf } from "#core/nodeclaim/instance-presence.ts";
import type { CloudObservation } from "#core/snapshot.ts";

/** What the cloud shows, and a running machine for each claim of the manifests: they come without their cloud. */
export function withRunningMachines<View>(
  observation: CloudObservation<View>,
  claims: readonly NodeClaim[],
  clusterIdentity: string,
): CloudObservation<View> {
  const shown = new Set(observation.instances.map(({ providerID }) => providerID));
  const machines = claims.flatMap((claim) => machineOf(claim, clusterIdentity));
  const instances = [...observation.instances, ...machines.filter(({ providerID }) => !shown.has(providerID))];
  return { ...observation, instances: instances.sort((a, b) => (a.id < b.id ? -1 : 1)) };
}

function machineOf({ metadata, status }: NodeClaim, clusterIdentity: string): readonly Instance[] {
  if (status?.providerID === undefined) return [];
  const { labels = {}, uid = "", creationTimestamp } = metadata;
  return [
    {
      id: instanceIdOf(status.providerID),
      providerID: status.providerID,
      state: "running",
      instanceType: labels[instanceTypeLabel] ?? "",
      zone: labels[zoneLabel] ?? "",
      capacityType: labels[capacityTypeLabel] ?? "",
      ...(status.imageID === undefined ? {} : { imageId: status.imageID }),
      launchedAtMs: parseTime(creationTimestamp) ?? 0,
      tags: { [clusterIdentityTag]: clusterIdentity, [nodeClaimUidTag]: uid },
    },
  ];
}
