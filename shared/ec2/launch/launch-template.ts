/**
 * Karpenter counterpart: pkg/providers/launchtemplate. It differs: the name is a hash of the content in our own form
 * (the prefix and the tags are Karpenter's), made here without a call.
 */
import type { Json } from "#api/core-v1/meta.ts";
import type { EC2NodeClass, EC2NodeClassSpec } from "#api/ec2-v1/ec2nodeclass.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { EnsureLaunchTemplate } from "#core/command.ts";
import { digestOf } from "#core/recording/left-out-text.ts";
import { stableHash } from "#core/stable-hash.ts";
import { reservationKind } from "../node-class/capacity-reservations.ts";
import type { Ec2Settings } from "../settings.ts";
import { isIpv6 } from "../user-data/cluster-dns.ts";
import type { UserDataInput } from "../user-data/input.ts";
import type { UserDataProblem } from "../user-data/problem.ts";
import { userData } from "../user-data/user-data.ts";
import type { ClusterFacts, PlacementGroup } from "../view.ts";
import { blockDevices, defined } from "./block-devices.ts";
import { bootstrapOf } from "./bootstrap.ts";
import { networkInterfaces } from "./network-interfaces.ts";
import { resourceTags } from "./tags.ts";
import { userDataInput } from "./user-data-input.ts";

const namePrefix = "karpenter.k8s.aws/";
/** To be raised when the class's own user data is put together with ours in another way. */
const mergeForm = 1;
/** EC2: regions whose metadata service has no IPv6 option. */
const regionsWithoutMetadataIpv6: readonly string[] = [
  "us-iso-east-1",
  "us-iso-west-1",
  "us-isob-east-1",
  "us-isob-west-1",
  "us-isof-south-1",
  "us-isof-east-1",
];

/** What the types of one template share. */
export interface TemplateShape {
  readonly imageId: string;
  readonly maxPods: number;
  readonly efaCount: number;
  readonly capacityType: string;
  readonly tenancy: "default" | "dedicated";
  readonly nitroEnclaves: boolean;
  readonly reservationId?: string;
  readonly placementGroup?: PlacementGroup;
  readonly partition?: number;
}

/** Problems of the user data are those that the class's validation tells too. */
export function launchTemplate(
  nodeClass: EC2NodeClass,
  claim: NodeClaim,
  settings: Ec2Settings,
  cluster: ClusterFacts,
  shape: TemplateShape,
): EnsureLaunchTemplate | readonly UserDataProblem[] {
  const tags = sorted(resourceTags(nodeClass, claim, settings));
  const bootstrap = bootstrapOf(claim, nodeClass.spec, settings.clusterName, shape.capacityType, shape.maxPods);
  const input = userDataInput(nodeClass, bootstrap, cluster, shape.imageId);
  const answer = userData(input);
  if (answer.kind === "problems") return answer.problems;
  const details = detailsOf(nodeClass, settings, cluster, shape, tags);
  const content = {
    imageId: shape.imageId,
    bootstrap,
    // Plain text; whoever calls EC2 encodes it.
    details: answer.kind === "none" ? details : { ...details, UserData: answer.text },
    tags,
  };
  const name = `${namePrefix}${stableHash(JSON.stringify({ ...content, details, userData: named(input, nodeClass) }), 12)}`;
  return { kind: "ensure-launch-template", name, ...content };
}

/** What the name says of the user data: ours as it is written, the class's own by its digest, which a recording keeps. */
function named(input: UserDataInput, { spec }: EC2NodeClass): Json {
  const own = userData({ ...input, custom: "" });
  const { userData: custom = "" } = spec;
  return [mergeForm, own.kind === "text" ? own.text : "", custom === "" ? "" : digestOf(custom)];
}

function detailsOf(
  { spec, status }: EC2NodeClass,
  settings: Ec2Settings,
  { serviceCidr }: ClusterFacts,
  shape: TemplateShape,
  tags: Readonly<Record<string, string>>,
): Readonly<Record<string, Json>> {
  const devices = blockDevices(spec);
  const securityGroupIds = (status?.securityGroups ?? []).map(({ id }) => id);
  const profile = status?.instanceProfile ?? spec.instanceProfile;
  const nested = spec.cpuOptions?.nestedVirtualization;
  const tagList = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  const tagged = ["network-interface", ...(shape.capacityType === "spot" ? ["spot-instances-request"] : [])];
  return defined({
    BlockDeviceMappings: devices.length === 0 ? undefined : devices,
    CpuOptions: nested === undefined ? undefined : { NestedVirtualization: nested },
    EnclaveOptions: shape.nitroEnclaves ? { Enabled: true } : undefined,
    IamInstanceProfile: profile === undefined ? undefined : { Name: profile },
    MetadataOptions: metadataOptions(spec, settings.region),
    Monitoring: { Enabled: spec.detailedMonitoring ?? false },
    NetworkInterfaces: networkInterfaces(spec, securityGroupIds, shape.efaCount, isIpv6(serviceCidr)),
    Placement: defined({
      Tenancy: shape.tenancy,
      GroupId: shape.placementGroup?.id,
      PartitionNumber: shape.partition,
    }),
    ...reservationDetails(status, settings, shape.reservationId),
    TagSpecifications: tagged.map((ResourceType) => ({ ResourceType, Tags: tagList })),
  });
}

/** Open reservations are used only when the class names them. */
function reservationDetails(
  status: EC2NodeClass["status"],
  settings: Ec2Settings,
  reservationId: string | undefined,
): Readonly<Record<string, Json>> {
  if (!settings.featureGates.reservedCapacity) return {};
  if (reservationId === undefined) {
    return { CapacityReservationSpecification: { CapacityReservationPreference: "none" } };
  }
  const reservation = (status?.capacityReservations ?? []).find(({ id }) => id === reservationId);
  const kind = reservation === undefined ? "default" : reservationKind(reservation);
  const market = { "capacity-block": "capacity-block", interruptible: "interruptible-capacity-reservation" } as const;
  return {
    CapacityReservationSpecification: {
      CapacityReservationPreference: "capacity-reservations-only",
      CapacityReservationTarget: { CapacityReservationId: reservationId },
    },
    ...(kind === "default" ? {} : { InstanceMarketOptions: { MarketType: market[kind] } }),
  };
}

/** Absent fields have the API's defaults. Tag keys hold characters that instance metadata cannot. */
export function metadataOptions(spec: EC2NodeClassSpec, region: string): Json {
  const options = spec.metadataOptions ?? {};
  return defined({
    HttpEndpoint: options.httpEndpoint ?? "enabled",
    HttpProtocolIpv6: regionsWithoutMetadataIpv6.includes(region)
      ? undefined
      : (options.httpProtocolIPv6 ?? "disabled"),
    HttpPutResponseHopLimit: options.httpPutResponseHopLimit ?? 1,
    HttpTokens: options.httpTokens ?? "required",
    InstanceMetadataTags: "disabled",
  });
}

function sorted(tags: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(tags).sort(([a], [b]) => (a < b ? -1 : 1)));
}
