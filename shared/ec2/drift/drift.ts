/**
 * Karpenter counterpart: pkg/cloudprovider/drift.go. It differs: a verdict says what is not as it should be (which
 * security group is too many), and what cannot be told is no drift.
 */
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import { instanceTypeLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { CloudDrift } from "#core/cloud-provider.ts";
import type { Instance } from "#core/instance.ts";
import { requirementsOf } from "#core/scheduling/requirements/requirements.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { imageFor, statusImages } from "../instance-type/image-mapping.ts";
import { instanceTypesOf } from "../instance-type/instance-types.ts";
import { classHashAnnotation, classHashVersionAnnotation, placementGroupIdLabel } from "../labels.ts";
import { findNodeClass } from "../node-class/node-class.ts";
import { placementGroupOf } from "../node-class/placement-group.ts";
import type { Ec2View } from "../view.ts";

/** How the claim's instance differs from what its class asks for; undefined: it does not, or that cannot be told. */
export function ec2Drift(snapshot: Snapshot<Ec2View>, claim: NodeClaim, instance: Instance): CloudDrift | undefined {
  const nodeClass = findNodeClass(snapshot.cluster, claim.spec.nodeClassRef);
  if (nodeClass === undefined) return undefined;
  return (
    classDrift(nodeClass, claim) ??
    imageDrift(snapshot, nodeClass, claim) ??
    securityGroupDrift(nodeClass, instance) ??
    subnetDrift(nodeClass, instance) ??
    reservationDrift(nodeClass, instance) ??
    placementGroupDrift(snapshot, nodeClass, claim)
  );
}

/** Only where both know a hash of one version. */
function classDrift({ metadata }: EC2NodeClass, claim: NodeClaim): CloudDrift | undefined {
  const of = (key: string) => [metadata.annotations?.[key], claim.metadata.annotations?.[key]] as const;
  const [classVersion, claimVersion] = of(classHashVersionAnnotation);
  const [wanted, own] = of(classHashAnnotation);
  if (classVersion === undefined || classVersion !== claimVersion) return undefined;
  if (wanted === undefined || own === undefined || wanted === own) return undefined;
  const message = `EC2NodeClass ${metadata.name} changed since the node was made, in more than its selectors`;
  return { reason: "NodeClassDrift", message };
}

function imageDrift(snapshot: Snapshot<Ec2View>, nodeClass: EC2NodeClass, claim: NodeClaim): CloudDrift | undefined {
  const own = claim.status?.imageID;
  const typeName = claim.metadata.labels?.[instanceTypeLabel];
  const types = instanceTypesOf(snapshot, nodeClass);
  const type = types.kind === "known" ? types.instanceTypes.find(({ name }) => name === typeName) : undefined;
  const images = statusImages(nodeClass);
  if (own === undefined || type === undefined || images.length === 0) return undefined;
  const wanted = imageFor(images, requirementsOf(type.requirements));
  if (wanted?.id === own) return undefined;
  const now =
    wanted === undefined ? "none of the class's images boots it now" : `it boots ${nameOf(nodeClass, wanted.id)} now`;
  return { reason: "AMIDrift", message: `${type.name} runs ${own}; ${now}` };
}

function nameOf({ status }: EC2NodeClass, imageId: string): string {
  const name = (status?.amis ?? []).find(({ id }) => id === imageId)?.name;
  return name === undefined ? imageId : `${imageId} (${name})`;
}

/** The same set, no group more and no group less. */
function securityGroupDrift({ status }: EC2NodeClass, instance: Instance): CloudDrift | undefined {
  const wanted = new Map(
    (status?.securityGroups ?? []).map(({ id, name }) => [id, name === undefined ? id : `${id} (${name})`]),
  );
  const own = instance.securityGroupIds ?? [];
  if (wanted.size === 0 || own.length === 0) return undefined;
  const extra = own.filter((id) => !wanted.has(id)).sort();
  const missing = [...wanted].filter(([id]) => !own.includes(id)).map(([, name]) => name);
  if (extra.length === 0 && missing.length === 0) return undefined;
  const parts = [
    ...(extra.length === 0 ? [] : [`has ${extra.join(", ")}, which the class does not name`]),
    ...(missing.length === 0 ? [] : [`lacks ${missing.sort().join(", ")}`]),
  ];
  return { reason: "SecurityGroupDrift", message: `${instance.id} ${parts.join(" and ")}` };
}

function subnetDrift({ status }: EC2NodeClass, instance: Instance): CloudDrift | undefined {
  const wanted = (status?.subnets ?? []).map(({ id }) => id);
  if (wanted.length === 0 || instance.subnetId === undefined || wanted.includes(instance.subnetId)) return undefined;
  const message = `${instance.id} is in ${instance.subnetId}; the class has ${[...wanted].sort().join(", ")}`;
  return { reason: "SubnetDrift", message };
}

function reservationDrift({ status }: EC2NodeClass, instance: Instance): CloudDrift | undefined {
  const { reservationId, capacityType } = instance;
  if (reservationId === undefined || capacityType !== "reserved") return undefined;
  const wanted = (status?.capacityReservations ?? []).map(({ id }) => id);
  if (wanted.includes(reservationId)) return undefined;
  const message = `${instance.id} fills ${reservationId}, which the class does not select any more`;
  return { reason: "CapacityReservationDrift", message };
}

function placementGroupDrift(
  { cloud }: Snapshot<Ec2View>,
  { spec }: EC2NodeClass,
  claim: NodeClaim,
): CloudDrift | undefined {
  const wanted = placementGroupOf(spec, cloud.view)?.id;
  // A group that cannot be found is the class's trouble, not the node's.
  if (wanted === undefined && spec.placementGroupSelector !== undefined) return undefined;
  const own = claim.metadata.labels?.[placementGroupIdLabel];
  if (wanted === own) return undefined;
  const message = `the node is in placement group ${own ?? "(none)"}; the class names ${wanted ?? "none"}`;
  return { reason: "PlacementGroupDrift", message };
}
