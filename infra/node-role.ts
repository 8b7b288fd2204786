import { CfnOutput, RemovalPolicy, Stack } from "aws-cdk-lib";
import { ManagedPolicy, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import { partName } from "#aws/part-name.ts";

/** Karpenter: the policies of the node role in its CloudFormation template. */
const nodePolicies = [
  "AmazonEC2ContainerRegistryPullOnly",
  "AmazonEKSWorkerNodePolicy",
  "AmazonEKS_CNI_Policy",
  "AmazonSSMManagedInstanceCore",
];
/** IAM: 64 characters, and the longest name of a region has 14. */
const nameLengthMax = 64 - 15;

/**
 * The role that nodes run under, as node classes name it. It stays when the stack goes, since nodes do; one that stayed
 * is taken again with `nodeRoleArns`. IAM's names are those of all regions, so that it carries its own.
 */
export function makeNodeRole(scope: Construct, clusterName: string): Role {
  const stack = Stack.of(scope);
  const role = new Role(scope, "NodeRole", {
    roleName: `${partName(clusterName, "node", nameLengthMax)}-${stack.region}`,
    description: `Nodes of the EKS cluster ${clusterName}`,
    assumedBy: new ServicePrincipal("ec2.amazonaws.com"),
    managedPolicies: nodePolicies.map((name) => ManagedPolicy.fromAwsManagedPolicyName(name)),
  });
  role.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
  new CfnOutput(scope, "NodeRoleName", { value: role.roleName, description: "For EC2NodeClass spec.role" });
  return role;
}
