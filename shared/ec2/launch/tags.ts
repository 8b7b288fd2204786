/**
 * Karpenter counterpart: pkg/utils, GetTags. It differs: instances carry their claim's name and UID and the cluster's
 * identity from the start, so that one whose claim was never told can be adopted.
 */
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import { ec2NodeClassLabel } from "#api/ec2-v1/ec2nodeclass.ts";
import { nodePoolLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { clusterIdentityTag, nodeClaimTag, nodeClaimUidTag } from "#api/outrigger-names.ts";
import type { Settings } from "#core/settings.ts";

type Tags = Readonly<Record<string, string>>;

/** Of everything made for a launch. The user's come first, so that ours win; the pool's tag is there even if empty. */
export function resourceTags(nodeClass: EC2NodeClass, claim: NodeClaim, settings: Settings): Tags {
  return {
    ...nodeClass.spec.tags,
    [`kubernetes.io/cluster/${settings.clusterName}`]: "owned",
    "eks:eks-cluster-name": settings.clusterName,
    [nodePoolLabel]: claim.metadata.labels?.[nodePoolLabel] ?? "",
    [ec2NodeClassLabel]: nodeClass.metadata.name,
    [clusterIdentityTag]: settings.clusterIdentity,
  };
}

/** Of the instance. Name follows when its node has registered, unless the user set it. */
export function instanceTags(nodeClass: EC2NodeClass, claim: NodeClaim, settings: Settings): Tags {
  return {
    ...resourceTags(nodeClass, claim, settings),
    [nodeClaimTag]: claim.metadata.name,
    [nodeClaimUidTag]: claim.metadata.uid ?? "",
  };
}

/** What Karpenter's nodeclaim.tagging adds once the node is known. */
export function registeredTags(claim: NodeClaim, settings: Settings): Tags {
  const { nodeName } = claim.status ?? {};
  return { "eks:eks-cluster-name": settings.clusterName, ...(nodeName === undefined ? {} : { Name: nodeName }) };
}
