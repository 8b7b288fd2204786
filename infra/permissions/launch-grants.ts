import type { Grant, GrantOptions } from "./grant.ts";
import type { Place } from "./place.ts";

/** What a launch makes, and tags as it is made. */
const made = ["fleet", "instance", "volume", "network-interface", "launch-template", "spot-instances-request"];
/** What a launch names: public or shared, of any owner. */
const named = ["security-group", "subnet", "capacity-reservation", "placement-group"];

const anyId = "EC2 gives the ids; conditions on tags say which are meant";

/** Karpenter: the NodeLifecycle policy of its CloudFormation template. */
export function launchGrants(place: Place, { nodeRoleArns }: GrantOptions): readonly Grant[] {
  const { partition, region, clusterName } = place;
  const ec2 = (type: string, account = "*"): string => `arn:${partition}:ec2:${region}:${account}:${type}/*`;
  const owned = { [`aws:ResourceTag/kubernetes.io/cluster/${clusterName}`]: "owned" };
  const ours = { StringEquals: owned, StringLike: { "aws:ResourceTag/karpenter.sh/nodepool": "*" } };
  const asked = {
    [`aws:RequestTag/kubernetes.io/cluster/${clusterName}`]: "owned",
    "aws:RequestTag/eks:eks-cluster-name": clusterName,
  };
  const askedOfPool = { StringLike: { "aws:RequestTag/karpenter.sh/nodepool": "*" } };
  const launches = ["ec2:RunInstances", "ec2:CreateFleet"];
  return [
    {
      sid: "LaunchOutOf",
      actions: launches,
      resources: [ec2("image", ""), ec2("snapshot", ""), ...named.map((type) => ec2(type))],
      wildcard: "node classes choose among what is public or shared, and it carries no tag of the cluster",
    },
    {
      sid: "LaunchByOwnTemplates",
      actions: launches,
      resources: [ec2("launch-template")],
      conditions: ours,
      wildcard: anyId,
    },
    {
      sid: "MakeTagged",
      actions: [...launches, "ec2:CreateLaunchTemplate"],
      resources: made.map((type) => ec2(type)),
      conditions: { StringEquals: asked, ...askedOfPool },
      wildcard: anyId,
    },
    {
      sid: "TagWhatIsMade",
      actions: ["ec2:CreateTags"],
      resources: made.map((type) => ec2(type)),
      conditions: {
        StringEquals: { ...asked, "ec2:CreateAction": ["RunInstances", "CreateFleet", "CreateLaunchTemplate"] },
        ...askedOfPool,
      },
      wildcard: anyId,
    },
    {
      sid: "TagOwnInstances",
      actions: ["ec2:CreateTags"],
      resources: [ec2("instance")],
      conditions: {
        ...ours,
        StringEqualsIfExists: { "aws:RequestTag/eks:eks-cluster-name": clusterName },
        "ForAllValues:StringEquals": { "aws:TagKeys": ["eks:eks-cluster-name", "karpenter.sh/nodeclaim", "Name"] },
      },
      wildcard: anyId,
    },
    {
      sid: "EndOwn",
      actions: ["ec2:TerminateInstances", "ec2:DeleteLaunchTemplate"],
      resources: [ec2("instance"), ec2("launch-template")],
      conditions: ours,
      wildcard: anyId,
    },
    {
      sid: "PassNodeRole",
      actions: ["iam:PassRole"],
      resources: nodeRoleArns,
      conditions: { StringEquals: { "iam:PassedToService": ["ec2.amazonaws.com", "ec2.amazonaws.com.cn"] } },
    },
  ];
}
