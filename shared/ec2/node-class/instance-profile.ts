/**
 * Karpenter counterpart: pkg/providers/instanceprofile and pkg/controllers/nodeclass/instanceprofile.go. It differs: the
 * name is a hash of the class and its role, so that making one twice is the same profile; a class whose role changes gets
 * another one, as there, and a profile that holds the role already is adopted.
 */
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import { ec2NodeClassLabel } from "#api/ec2-v1/ec2nodeclass.ts";
import { regionLabel } from "#api/karpenter-v1/labels.ts";
import type { EnsureCloudResource } from "#core/command.ts";
import type { CloudObservation } from "#core/snapshot.ts";
import { stableHash } from "#core/stable-hash.ts";
import type { Ec2Settings } from "../settings.ts";
import type { Ec2View } from "../view.ts";

export const instanceProfileType = "instance-profile";
/** IAM: characters of a profile's name. */
const nameCharactersMax = 128;

/**
 * The profile that the class runs under: its own, else the one that holds its role, the one of its status first. Empty
 * while there is none; undefined where that cannot be told.
 */
export function instanceProfilesOf(
  { spec, status }: EC2NodeClass,
  { view, incomplete }: CloudObservation<Ec2View>,
): readonly string[] | undefined {
  if (spec.instanceProfile !== undefined) return [spec.instanceProfile];
  const role = roleName(spec.role);
  const current = status?.instanceProfile;
  const holder = (view.ownProfiles ?? []).find(({ name }) => name === current);
  if (current !== undefined && holder?.role === role) return [current];
  const found = Object.hasOwn(view.instanceProfiles, role) ? view.instanceProfiles[role] : undefined;
  if (found !== undefined) return [found];
  return incomplete.includes("instanceProfiles") || view.refusals?.instanceProfiles !== undefined ? undefined : [];
}

/** Makes the class's profile; undefined where there is nothing to make. */
export function ensureProfile(
  nodeClass: EC2NodeClass,
  profiles: readonly string[] | undefined,
  view: Ec2View,
  settings: Ec2Settings,
): EnsureCloudResource | undefined {
  const { spec, metadata } = nodeClass;
  // Only where the list of profiles is known: what cannot be seen is not made again and again.
  if (spec.role === undefined || profiles === undefined || profiles.length > 0 || view.ownProfiles === undefined) {
    return undefined;
  }
  const { clusterName, region } = settings;
  const uid = metadata.uid ?? metadata.name;
  const role = roleName(spec.role);
  const hash = stableHash(JSON.stringify([region, metadata.name, uid, role]), 12);
  return {
    kind: "ensure-cloud-resource",
    type: instanceProfileType,
    name: `${clusterName.slice(0, nameCharactersMax - hash.length - 1)}_${hash}`,
    content: { role, path: `/karpenter/${region}/${clusterName}/${uid}/` },
    tags: {
      ...spec.tags,
      [`kubernetes.io/cluster/${clusterName}`]: "owned",
      "eks:eks-cluster-name": clusterName,
      [ec2NodeClassLabel]: metadata.name,
      [regionLabel]: region,
    },
  };
}

/** IAM knows a role by its name; a class may name it with its path. */
export function roleName(role: string | undefined): string {
  return (role ?? "").slice((role ?? "").lastIndexOf("/") + 1);
}
