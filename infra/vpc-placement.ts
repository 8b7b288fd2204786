import { Fn, Stack } from "aws-cdk-lib";
import {
  CfnSecurityGroupIngress,
  CfnVPCEndpoint,
  type ISecurityGroup,
  type ISubnet,
  type IVpc,
  SecurityGroup,
  Subnet,
  Vpc,
} from "aws-cdk-lib/aws-ec2";
import type { Construct } from "constructs";
import { partName } from "#aws/part-name.ts";
import type { Grant } from "./permissions/grant.ts";
import type { OutriggerSettings } from "./settings.ts";

/** An EKS cluster of `aws-eks` or `aws-eks-v2`, as far as a placement depends on it. */
export interface PlacedCluster {
  readonly vpc: IVpc;
  /** The one that EKS made: the API server's network interfaces carry it. */
  readonly clusterSecurityGroupId: string;
}

/** Where the functions that ask the cluster run. */
export interface VpcPlacement {
  readonly vpc: IVpc;
  readonly subnets: readonly ISubnet[];
  readonly securityGroups: readonly ISecurityGroup[];
}

const httpsPort = 443;

/**
 * What the functions in a VPC call, as the services of its interface endpoints are named; S3 has its gateway. None is
 * needed where the subnets have a way out. IAM and Pricing have endpoints in few regions: without a way out the node
 * classes name instance profiles, and prices come from `catalog`, which stays outside.
 */
export const endpointServices: readonly string[] = [
  ...["ec2", "eks", "eks-auth", "sts", "ssm", "sqs", "lambda", "events", "cloudformation", "iam"],
];

/** Undefined: the functions reach the cluster over its public endpoint. */
export function placementOf(
  scope: Construct,
  clusterName: string,
  settings: OutriggerSettings,
  cluster: PlacedCluster | undefined,
): VpcPlacement | undefined {
  const { vpcId, subnetIds = [], clusterSecurityGroupId, s3RouteTableIds = [] } = settings;
  const given = vpcId === undefined ? undefined : importedVpc(scope, vpcId, subnetIds);
  const vpc = given?.vpc ?? cluster?.vpc;
  const clusterGroup = clusterSecurityGroupId ?? cluster?.clusterSecurityGroupId;
  if (vpc === undefined) return undefined;
  const subnets = given?.subnets ?? vpc.privateSubnets;
  const group = new SecurityGroup(scope, "FunctionsGroup", {
    vpc,
    securityGroupName: partName(clusterName, "functions", 255),
    description: `Functions of Outrigger for the EKS cluster ${clusterName}: they call, nobody calls them`,
  });
  if (clusterGroup !== undefined) {
    new CfnSecurityGroupIngress(scope, "ClusterFromFunctions", {
      groupId: clusterGroup,
      sourceSecurityGroupId: group.securityGroupId,
      ...{ ipProtocol: "tcp", fromPort: httpsPort, toPort: httpsPort },
      description: "The functions of Outrigger ask the API server",
    });
  }
  if (s3RouteTableIds.length > 0) {
    new CfnVPCEndpoint(scope, "S3Gateway", {
      vpcId: vpc.vpcId,
      serviceName: `com.amazonaws.${Stack.of(scope).region}.s3`,
      vpcEndpointType: "Gateway",
      routeTableIds: [...s3RouteTableIds],
    });
  }
  return { vpc, subnets, securityGroups: [group] };
}

function importedVpc(scope: Construct, vpcId: string, subnetIds: readonly string[]) {
  const vpc = Vpc.fromVpcAttributes(scope, "Vpc", {
    vpcId,
    // Nothing is placed by zone; CDK wants as many as there are subnets.
    availabilityZones: subnetIds.map((_, index) => Fn.select(index, Fn.getAzs())),
    privateSubnetIds: [...subnetIds],
  });
  return { vpc, subnets: subnetIds.map((id, index) => Subnet.fromSubnetId(scope, `Subnet${index}`, id)) };
}

/** What is wrong with a placement, or with its absence, a line each. */
export function placementProblems(
  settings: Pick<
    OutriggerSettings,
    "vpcId" | "subnetIds" | "clusterSecurityGroupId" | "endpointAccess" | "s3RouteTableIds"
  >,
  isPlaced: boolean,
): readonly string[] {
  const { vpcId, subnetIds = [], clusterSecurityGroupId, endpointAccess = "public", s3RouteTableIds = [] } = settings;
  const isGiven = vpcId !== undefined;
  const parts = { subnetIds: subnetIds.length > 0, clusterSecurityGroupId: clusterSecurityGroupId !== undefined };
  const lacking = isGiven ? Object.entries(parts).filter(([, isThere]) => !isThere) : [];
  const loose =
    isGiven || isPlaced
      ? []
      : Object.entries({ ...parts, s3RouteTableIds: s3RouteTableIds.length > 0 }).filter(([, isThere]) => isThere);
  const closed =
    endpointAccess === "public" || isGiven || isPlaced
      ? []
      : [
          `endpointAccess: the cluster's endpoint is ${endpointAccess === "private" ? "private" : "open to some addresses only"}, ` +
            "so that functions outside its VPC would wait for an answer until they time out; set vpcId, subnetIds and " +
            "clusterSecurityGroupId (`aws eks describe-cluster` has them in resourcesVpcConfig), or open the endpoint",
        ];
  return [
    ...lacking.map(([name]) => `${name}: must be set too where vpcId is`),
    ...loose.map(([name]) => `${name}: has no meaning without vpcId`),
    ...closed,
  ];
}

/**
 * Lambda itself makes the interfaces in the name of the function's role; the function's own code may not.
 * Lambda: "Giving Lambda functions access to resources in a VPC".
 */
export function networkGrants(functionArn: string): readonly Grant[] {
  const interfaces = [
    ...["ec2:CreateNetworkInterface", "ec2:DeleteNetworkInterface", "ec2:DescribeNetworkInterfaces"],
    ...["ec2:AssignPrivateIpAddresses", "ec2:UnassignPrivateIpAddresses"],
  ];
  return [
    {
      sid: "LambdaEntersVpc",
      actions: [...interfaces, "ec2:DescribeSubnets"],
      resources: ["*"],
      wildcard: "the interfaces do not exist yet, and EC2's lists know no resources",
    },
    {
      sid: "FunctionDoesNot",
      effect: "Deny",
      actions: interfaces,
      resources: ["*"],
      conditions: { ArnEquals: { "lambda:SourceFunctionArn": functionArn } },
      wildcard: "a denial of all",
    },
  ];
}
