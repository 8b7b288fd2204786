import type { Grant, GrantOptions } from "./grant.ts";
import type { Place } from "./place.ts";

/** Karpenter: the ResourceDiscovery and EKSIntegration policies of its CloudFormation template. */
export function readGrants(place: Place, { ssmParameters }: GrantOptions): readonly Grant[] {
  const { partition, region, account, clusterName } = place;
  const eks = `arn:${partition}:eks:${region}:${account}`;
  const ssm = `arn:${partition}:ssm:${region}`;
  return [
    {
      sid: "LookAtRegion",
      actions: [
        "ec2:DescribeCapacityReservations",
        "ec2:DescribeImages",
        "ec2:DescribeInstanceStatus",
        "ec2:DescribeInstanceTypeOfferings",
        "ec2:DescribeInstanceTypes",
        "ec2:DescribeInstances",
        "ec2:DescribeLaunchTemplates",
        "ec2:DescribePlacementGroups",
        "ec2:DescribeSecurityGroups",
        "ec2:DescribeSpotPriceHistory",
        "ec2:DescribeSubnets",
      ],
      resources: ["*"],
      conditions: { StringEquals: { "aws:RequestedRegion": region } },
      wildcard: "EC2's lists know no resources; the region is a condition",
    },
    {
      sid: "LookAtCluster",
      actions: ["eks:DescribeCluster", "eks:ListAccessEntries"],
      resources: [`${eks}:cluster/${clusterName}`],
    },
    {
      sid: "LookAtAccessEntries",
      actions: ["eks:DescribeAccessEntry"],
      resources: [`${eks}:access-entry/${clusterName}/*`],
      wildcard: "the entries of this cluster, whose ids EKS gives",
    },
    {
      sid: "ReadImageParameters",
      actions: ["ssm:GetParameters"],
      resources: [
        `${ssm}::parameter/aws/service/*`,
        ...ssmParameters.map((path) => `${ssm}:${account}:parameter${path}`),
      ],
      wildcard: "AWS publishes its images below this path",
    },
    {
      sid: "ReadPrices",
      actions: ["pricing:GetProducts"],
      resources: ["*"],
      wildcard: "the price list has no resources, and is public",
    },
  ];
}
