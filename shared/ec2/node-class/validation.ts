/**
 * Karpenter counterpart: pkg/controllers/nodeclass/validation.go, the part that calls nothing. It differs: user data that
 * could not work is refused with its line, and so are block device mappings that Karpenter's code would crash on.
 */
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import { ec2NodeClassLabel } from "#api/ec2-v1/ec2nodeclass.ts";
import { capacityTypeLabel, nodePoolLabel } from "#api/karpenter-v1/labels.ts";
import { nodeClaimTag, ownPrefix } from "#api/outrigger-names.ts";
import type { Bootstrap } from "#core/command.ts";
import { userDataInput } from "../launch/user-data-input.ts";
import type { Ec2Settings } from "../settings.ts";
import { problemText } from "../user-data/problem.ts";
import { userData } from "../user-data/user-data.ts";
import type { ClusterFacts, Ec2View } from "../view.ts";
import { amiFamilyOf } from "./ami-alias.ts";
import { type DryRunReason, dryRunProblem } from "./dry-run.ts";
import { roleName } from "./instance-profile.ts";

export interface ValidationProblem {
  readonly reason:
    | "TagValidationFailed"
    | "UserDataSizeLimitExceeded"
    | "UserDataInvalid"
    | "BlockDeviceMappingInvalid"
    | "ClusterCIDRResolutionFailed"
    | "NodeRoleNotAuthorized"
    | DryRunReason;
  readonly message: string;
}

const ownedTags: readonly string[] = ["eks:eks-cluster-name", nodePoolLabel, nodeClaimTag, ec2NodeClassLabel];
const ownedTagPrefixes: readonly string[] = ["kubernetes.io/cluster", ownPrefix];

/** While the cluster's own are not known: of the usual lengths, so that the size can be judged. */
const someCluster: ClusterFacts = {
  endpoint: `https://${"0".repeat(32)}.gr7.us-east-1.eks.amazonaws.com`,
  certificateAuthority: "A".repeat(1_480),
  serviceCidr: "10.100.0.0/16",
};

/** The first thing that would make every launch of this class fail. */
export function validationProblem(
  nodeClass: EC2NodeClass,
  view: Ec2View,
  settings: Ec2Settings,
): ValidationProblem | undefined {
  const { spec } = nodeClass;
  const tag = Object.keys(spec.tags ?? {}).find(isOwned);
  if (tag !== undefined) {
    return { reason: "TagValidationFailed", message: `spec.tags: "${tag}" is set by the controller; remove it` };
  }
  const nameless = (spec.blockDeviceMappings ?? []).findIndex(({ deviceName }) => !deviceName);
  if (nameless >= 0) {
    return {
      reason: "BlockDeviceMappingInvalid",
      message: `spec.blockDeviceMappings[${nameless}] has no deviceName; name the device, such as /dev/xvda`,
    };
  }
  const refused = view.refusals?.clusterFacts;
  if (view.clusterFacts === undefined && refused !== undefined && amiFamilyOf(spec) !== "Custom") {
    return { reason: "ClusterCIDRResolutionFailed", message: `the cluster cannot be described: ${refused}` };
  }
  return (
    nodeRoleProblem(nodeClass, view, settings) ??
    userDataProblem(nodeClass, view.clusterFacts ?? someCluster, settings) ??
    dryRunProblem(nodeClass, view, settings)
  );
}

/** A node under such a role boots and never joins. EKS: an entry of type STANDARD can have no group of nodes. */
function nodeRoleProblem(
  { spec }: EC2NodeClass,
  { nodeRoles, clusterFacts }: Ec2View,
  { clusterName }: Ec2Settings,
): ValidationProblem | undefined {
  const role = roleName(spec.role);
  const found = spec.role === undefined ? undefined : nodeRoles?.[role];
  if (found === undefined) return undefined;
  const type = amiFamilyOf(spec).startsWith("Windows") ? "EC2_WINDOWS" : "EC2_LINUX";
  const remedy = `aws eks create-access-entry --cluster-name ${clusterName} --principal-arn <ARN of ${role}> --type ${type}`;
  const reason = "NodeRoleNotAuthorized";
  if (found.entryType === "STANDARD") {
    const message = `the access entry of role "${role}" has type STANDARD, with which no node can join; delete it, then: ${remedy}`;
    return { reason, message };
  }
  if (found.entryType !== undefined || clusterFacts?.authenticationMode !== "API") return undefined;
  return { reason, message: `role "${role}" has no access entry, so its nodes cannot join: ${remedy}` };
}

function userDataProblem(
  nodeClass: EC2NodeClass,
  cluster: ClusterFacts,
  { clusterName }: Ec2Settings,
): ValidationProblem | undefined {
  const labels = { [capacityTypeLabel]: "on-demand" };
  const bootstrap: Bootstrap = { clusterName, labels, taints: [], maxPods: 110 };
  const answer = userData(userDataInput(nodeClass, bootstrap, cluster, undefined));
  if (answer.kind !== "problems") return undefined;
  const [first] = answer.problems;
  const isSize = first?.line === undefined && first?.message.includes("bytes") === true;
  const message = answer.problems.map(problemText).join("; ");
  return isSize
    ? { reason: "UserDataSizeLimitExceeded", message }
    : { reason: "UserDataInvalid", message: `spec.userData, ${message}` };
}

function isOwned(key: string): boolean {
  return ownedTags.includes(key) || ownedTagPrefixes.some((prefix) => key.startsWith(prefix));
}
