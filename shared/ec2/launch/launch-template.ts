/**
 * Karpenter counterpart: pkg/providers/launchtemplate. It differs: the name is a hash of the content in our own form
 * (the prefix and the tags are Karpenter's), made here without a call.
 */
import type { Json } from "#api/core-v1/meta.ts";
import type { EC2NodeClass, EC2NodeClassSpec } from "#api/ec2-v1/ec2nodeclass.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { EnsureLaunchTemplate } from "#core/command.ts";
import type { Settings } from "#core/settings.ts";
import { stableHash } from "#core/stable-hash.ts";
import { blockDevices, defined } from "./block-devices.ts";
import { bootstrapOf } from "./bootstrap.ts";
import { networkInterfaces } from "./network-interfaces.ts";
import { resourceTags } from "./tags.ts";

const namePrefix = "karpenter.k8s.aws/";
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
}

export function launchTemplate(
  nodeClass: EC2NodeClass,
  claim: NodeClaim,
  settings: Settings,
  shape: TemplateShape,
): EnsureLaunchTemplate {
  const { spec, status } = nodeClass;
  const securityGroupIds = (status?.securityGroups ?? []).map(({ id }) => id);
  const tags = sorted(resourceTags(nodeClass, claim, settings));
  const content = {
    imageId: shape.imageId,
    instanceProfile: status?.instanceProfile ?? spec.instanceProfile ?? "",
    securityGroupIds,
    bootstrap: bootstrapOf(claim, spec, settings.clusterName, shape.capacityType, shape.maxPods),
    details: detailsOf(spec, settings, shape, securityGroupIds, tags),
    tags,
  };
  const name = `${namePrefix}${stableHash(JSON.stringify(content), 12)}`;
  return { kind: "ensure-launch-template", name, ...content };
}

function detailsOf(
  spec: EC2NodeClassSpec,
  settings: Settings,
  shape: TemplateShape,
  securityGroupIds: readonly string[],
  tags: Readonly<Record<string, string>>,
): Readonly<Record<string, Json>> {
  const devices = blockDevices(spec);
  const nested = spec.cpuOptions?.nestedVirtualization;
  const tagList = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  const tagged = ["network-interface", ...(shape.capacityType === "spot" ? ["spot-instances-request"] : [])];
  return defined({
    BlockDeviceMappings: devices.length === 0 ? undefined : devices,
    CpuOptions: nested === undefined ? undefined : { NestedVirtualization: nested },
    EnclaveOptions: shape.nitroEnclaves ? { Enabled: true } : undefined,
    MetadataOptions: metadataOptions(spec, settings.region),
    Monitoring: { Enabled: spec.detailedMonitoring ?? false },
    NetworkInterfaces: networkInterfaces(spec, securityGroupIds, shape.efaCount),
    Placement: { Tenancy: shape.tenancy },
    // Open reservations are used only when the class names them.
    CapacityReservationSpecification: settings.featureGates.reservedCapacity
      ? { CapacityReservationPreference: "none" }
      : undefined,
    TagSpecifications: tagged.map((ResourceType) => ({ ResourceType, Tags: tagList })),
  });
}

/** Absent fields have the API's defaults. Tag keys hold characters that instance metadata cannot. */
function metadataOptions(spec: EC2NodeClassSpec, region: string): Json {
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
