import type { Grant } from "./grant.ts";
import type { Place } from "./place.ts";

const digest = "the name is a digest of class and role; path and tags say whose it is";

/** Karpenter: the IAMIntegration policy of its CloudFormation template, below the path of the cluster's profiles. */
export function profileGrants({ partition, region, account, clusterName }: Place): readonly Grant[] {
  const profiles = `arn:${partition}:iam::${account}:instance-profile`;
  const resources = [`${profiles}/karpenter/${region}/${clusterName}/*`];
  const [tag, regionTag, classTag] = [
    `kubernetes.io/cluster/${clusterName}`,
    "topology.kubernetes.io/region",
    "karpenter.k8s.aws/ec2nodeclass",
  ];
  const owned = { [`aws:ResourceTag/${tag}`]: "owned", [`aws:ResourceTag/${regionTag}`]: region };
  const ownedByClass = { [`aws:ResourceTag/${classTag}`]: "*" };
  const asked = {
    [`aws:RequestTag/${tag}`]: "owned",
    "aws:RequestTag/eks:eks-cluster-name": clusterName,
    [`aws:RequestTag/${regionTag}`]: region,
  };
  const askedOfClass = { StringLike: { [`aws:RequestTag/${classTag}`]: "*" } };
  return [
    {
      sid: "MakeProfiles",
      // IAM asks for the right to tag of a profile that is made with tags, and of that profile as it will be.
      actions: ["iam:CreateInstanceProfile", "iam:TagInstanceProfile"],
      resources,
      conditions: { StringEquals: asked, ...askedOfClass },
      wildcard: digest,
    },
    {
      sid: "ChangeOwnProfiles",
      actions: ["iam:AddRoleToInstanceProfile", "iam:RemoveRoleFromInstanceProfile", "iam:DeleteInstanceProfile"],
      resources,
      conditions: { StringEquals: owned, StringLike: ownedByClass },
      wildcard: digest,
    },
    {
      sid: "ReadProfiles",
      actions: ["iam:GetInstanceProfile"],
      resources: [`${profiles}/*`],
      wildcard: "one that is not there has no path, and is to be found missing, not forbidden",
    },
    {
      sid: "ListProfiles",
      actions: ["iam:ListInstanceProfiles"],
      resources: ["*"],
      wildcard: "IAM lists all or nothing",
    },
  ];
}
