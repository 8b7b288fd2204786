/**
 * Karpenter counterpart: pkg/controllers/nodeclass/validation.go, the dry runs. It differs: the launch template that
 * CreateFleet needs is one command among others, so its dry run comes a tick later; RunInstances is asked with the metadata
 * options, disks, monitoring and network interface of a template. Left out is what only some instance types take, and the
 * user data, which needs reads that are made at the same time.
 */
import type { EC2NodeClass, EC2NodeClassSpec } from "#api/ec2-v1/ec2nodeclass.ts";
import { ec2NodeClassLabel } from "#api/ec2-v1/ec2nodeclass.ts";
import { archLabel, nodePoolLabel, osLabel } from "#api/karpenter-v1/labels.ts";
import { clusterIdentityTag } from "#api/outrigger-names.ts";
import type { EnsureLaunchTemplate } from "#core/command.ts";
import { stableHash } from "#core/stable-hash.ts";
import { classHashAnnotation, classHashVersionAnnotation } from "../labels.ts";
import { blockDevices } from "../launch/block-devices.ts";
import { metadataOptions } from "../launch/launch-template.ts";
import { networkInterfaces } from "../launch/network-interfaces.ts";
import type { Ec2Settings } from "../settings.ts";
import type { DryRun, Ec2View } from "../view.ts";

export type DryRunReason =
  | "CreateLaunchTemplateAuthCheckFailed"
  | "CreateFleetAuthCheckFailed"
  | "RunInstancesAuthCheckFailed"
  | "InstanceProfileNotFound";

/** Types that every region has. Karpenter: the fallback of its validation. */
const typeByArch: Readonly<Record<string, string>> = { amd64: "m5.large", arm64: "m6g.large" };
/** Ours, written all the time; another annotation that changes asks for a new validation, as Karpenter's documentation says. */
const ownAnnotations = [classHashAnnotation, classHashVersionAnnotation];
const templatePrefix = "karpenter.k8s.aws/dry-run-";

/** What to try for a class; undefined until it knows its image, subnets, groups and profile. */
export function dryRunOf(nodeClass: EC2NodeClass, settings: Ec2Settings): DryRun | undefined {
  const { spec, status, metadata } = nodeClass;
  const image = status?.amis?.[0];
  const subnetIds = (status?.subnets ?? []).map(({ id }) => id);
  const securityGroupIds = (status?.securityGroups ?? []).map(({ id }) => id);
  const instanceProfile = status?.instanceProfile;
  if (image === undefined || instanceProfile === undefined) return undefined;
  if (subnetIds.length === 0 || securityGroupIds.length === 0 || settings.disableDryRun === true) return undefined;
  const arch = image.requirements.find(({ key }) => key === archLabel)?.values?.[0] ?? "amd64";
  const isWindows = image.requirements.some(
    ({ key, values }) => key === osLabel && values?.includes("windows") === true,
  );
  const what = {
    imageId: image.id,
    instanceType: typeByArch[isWindows ? "amd64" : arch] ?? "m5.large",
    subnetIds,
    securityGroupIds,
    instanceProfile,
    details: detailsOf(spec, securityGroupIds, settings.region),
    tags: {
      ...spec.tags,
      [`kubernetes.io/cluster/${settings.clusterName}`]: "owned",
      "eks:eks-cluster-name": settings.clusterName,
      // The condition of Karpenter's policy wants the key; a class belongs to no pool.
      [nodePoolLabel]: "",
      [ec2NodeClassLabel]: metadata.name,
      [clusterIdentityTag]: settings.clusterIdentity,
    },
  };
  const annotations = Object.entries(metadata.annotations ?? {})
    .filter(([key]) => !ownAnnotations.includes(key))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const key = stableHash(JSON.stringify([metadata.name, what, annotations]), 12);
  return { key, launchTemplate: `${templatePrefix}${key}`, ...what };
}

export function isDryRunTemplate(name: string): boolean {
  return name.startsWith(templatePrefix);
}

/** The template that the dry run of CreateFleet names; nothing is ever launched from it. */
export function dryRunTemplate(dryRun: DryRun, clusterName: string): EnsureLaunchTemplate {
  const { launchTemplate: name, imageId, instanceProfile, details = {}, tags } = dryRun;
  const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  return {
    ...{ kind: "ensure-launch-template", name, imageId, tags },
    bootstrap: { clusterName, labels: {}, taints: [] },
    details: {
      ...details,
      IamInstanceProfile: { Name: instanceProfile },
      // A fleet's own tags do not reach its interfaces, and the policy lets none be made without.
      TagSpecifications: [{ ResourceType: "network-interface", Tags }],
    },
  };
}

/** Made once, where dry runs are made at all and the cluster's templates are known. */
export function missingTemplate(
  dryRun: DryRun | undefined,
  { dryRuns, ownTemplates }: Ec2View,
  clusterName: string,
): readonly EnsureLaunchTemplate[] {
  if (dryRun === undefined || dryRuns === undefined || ownTemplates === undefined) return [];
  return ownTemplates.some(({ name }) => name === dryRun.launchTemplate) ? [] : [dryRunTemplate(dryRun, clusterName)];
}

function detailsOf(
  { networkInterfaces: _, ...spec }: EC2NodeClassSpec,
  securityGroupIds: readonly string[],
  region: string,
): NonNullable<DryRun["details"]> {
  const devices = blockDevices(spec);
  return {
    ...(devices.length === 0 ? {} : { BlockDeviceMappings: devices }),
    MetadataOptions: metadataOptions(spec, region),
    Monitoring: { Enabled: spec.detailedMonitoring ?? false },
    NetworkInterfaces: networkInterfaces(spec, securityGroupIds, 0),
  };
}

/** Why every launch of the class would be refused, as far as it was tried. */
export function dryRunProblem(
  nodeClass: EC2NodeClass,
  view: Ec2View,
  settings: Ec2Settings,
): { readonly reason: DryRunReason; readonly message: string } | undefined {
  const dryRun = dryRunOf(nodeClass, settings);
  const refused = dryRun === undefined ? undefined : view.dryRuns?.[dryRun.key];
  if (refused === undefined || refused.kind === "allowed") return undefined;
  if (refused.kind === "profile-missing") {
    // One that was made a moment ago takes EC2 some seconds to see.
    if (nodeClass.spec.instanceProfile === undefined) return undefined;
    return { reason: "InstanceProfileNotFound", message: refused.message };
  }
  return {
    reason: `${refused.call}AuthCheckFailed`,
    message: `ec2:${refused.call} is not allowed: ${refused.message}`,
  };
}
