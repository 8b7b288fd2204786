/**
 * Karpenter counterpart: pkg/cloudprovider/cloudprovider.go, instanceToNodeClaim. No difference.
 */

import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import {
  capacityTypeLabel,
  instanceTypeLabel,
  nodePoolLabel,
  regionLabel,
  zoneLabel,
} from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { integerToQuantity } from "#api/quantity.ts";
import type { LaunchedFacts } from "#core/cloud-provider.ts";
import type { Instance } from "#core/instance.ts";
import type { InstanceType, Resources } from "#core/instance-type.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { classHashAnnotations } from "../drift/class-hash-annotations.ts";
import { instanceTypesOf } from "../instance-type/instance-types.ts";
import { efaResource } from "../instance-type/type-capacity.ts";
import {
  instanceProfileAnnotation,
  placementGroupPartitionLabel,
  reservationIdLabel,
  reservationInterruptibleLabel,
  reservationLabels,
  reservationTypeLabel,
  tenancyLabel,
  zoneIdLabel,
} from "../labels.ts";
import { findNodeClass } from "../node-class/node-class.ts";
import { partitionOf, partitionStrategy, placementGroupOf } from "../node-class/placement-group.ts";
import { ec2Settings } from "../settings.ts";
import type { Ec2View } from "../view.ts";
import { requestsOf } from "./candidates.ts";
import { tenancyOf } from "./tenancy.ts";

/** A type that the catalogue does not know gives its name, place and price model, and no amounts. */
export function launchedFacts(snapshot: Snapshot<Ec2View>, claim: NodeClaim, instance: Instance): LaunchedFacts {
  const nodeClass = findNodeClass(snapshot.cluster, claim.spec.nodeClassRef);
  const answer = nodeClass === undefined ? undefined : instanceTypesOf(snapshot, nodeClass);
  const type =
    answer?.kind === "known" ? answer.instanceTypes.find(({ name }) => name === instance.instanceType) : undefined;
  const zoneId = nodeClass?.status?.subnets?.find(({ zone }) => zone === instance.zone)?.zoneID;
  const pool = claim.metadata.labels?.[nodePoolLabel];
  const profile = nodeClass?.status?.instanceProfile;
  const withEfa = (requestsOf(claim)[efaResource] ?? 0) > 0 || (nodeClass?.spec.networkInterfaces ?? []).length > 0;
  return {
    labels: {
      ...singleValues(type),
      ...reservationLabelsOf(nodeClass, instance),
      ...partitionLabels(nodeClass, claim, instance, snapshot),
      [instanceTypeLabel]: instance.instanceType,
      [regionLabel]: ec2Settings(snapshot.settings).region,
      [zoneLabel]: instance.zone,
      ...(zoneId === undefined ? {} : { [zoneIdLabel]: zoneId }),
      [capacityTypeLabel]: instance.capacityType,
      [tenancyLabel]: tenancyOf(claim),
      ...(pool === undefined ? {} : { [nodePoolLabel]: pool }),
    },
    annotations: {
      ...(nodeClass === undefined ? {} : classHashAnnotations(nodeClass)),
      ...(profile === undefined ? {} : { [instanceProfileAnnotation]: profile }),
    },
    capacity: quantities(type?.capacity ?? {}, withEfa),
    allocatable: quantities(type?.allocatable ?? {}, withEfa),
  };
}

/** Of the reservation that the instance fills; what its type has them for says nothing of the instance. */
function reservationLabelsOf(
  nodeClass: EC2NodeClass | undefined,
  { capacityType, reservationId }: Instance,
): Readonly<Record<string, string>> {
  const found = (nodeClass?.status?.capacityReservations ?? []).find(({ id }) => id === reservationId);
  if (capacityType !== "reserved" || found === undefined) return {};
  return {
    [reservationIdLabel]: found.id,
    [reservationTypeLabel]: found.reservationType ?? "default",
    [reservationInterruptibleLabel]: String(found.interruptible ?? false),
  };
}

/** The partition that the instance is in; as long as EC2 does not show it, the one that the launch asked for. */
function partitionLabels(
  nodeClass: EC2NodeClass | undefined,
  claim: NodeClaim,
  instance: Instance,
  { cloud }: Snapshot<Ec2View>,
): Readonly<Record<string, string>> {
  const group = nodeClass === undefined ? undefined : placementGroupOf(nodeClass.spec, cloud.view);
  if (group?.strategy !== partitionStrategy) return {};
  const partition = instance.partition ?? partitionOf(claim, group);
  return partition === undefined ? {} : { [placementGroupPartitionLabel]: String(partition) };
}

function singleValues(type: InstanceType | undefined): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  for (const { key, operator, values } of type?.requirements ?? []) {
    const [value] = values ?? [];
    const isOfReservation = reservationLabels.includes(key);
    if (operator === "In" && values?.length === 1 && value !== undefined && !isOfReservation) labels[key] = value;
  }
  return labels;
}

/** EFA counts only where the instance has such interfaces. */
function quantities(amounts: Resources, withEfa: boolean): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(amounts)
      .filter(([name, amount]) => amount > 0 && (withEfa || name !== efaResource))
      .map(([name, amount]) => [name, integerToQuantity(name, amount)]),
  );
}
