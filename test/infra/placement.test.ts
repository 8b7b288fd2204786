import { Stack } from "aws-cdk-lib";
import { Match, Template } from "aws-cdk-lib/assertions";
import { Cluster as ClusterV1 } from "aws-cdk-lib/aws-eks";
import { Cluster, EndpointAccess, KubernetesVersion } from "aws-cdk-lib/aws-eks-v2";
import { describe, expect, test } from "vitest";
import { Outrigger } from "../../infra/outrigger.ts";
import type { OutriggerProps } from "../../infra/outrigger-props.ts";
import { quickApp, resourcesOf, statementsOf, templateOf } from "./synthesised.ts";

const placement = {
  vpcId: "vpc-0123abcd",
  subnetIds: ["subnet-0123abcd", "subnet-4567abcd"],
  clusterSecurityGroupId: "sg-0123abcd",
  s3RouteTableIds: ["rtb-0123abcd"],
};
const placed = templateOf({ name: "blue", endpointAccess: "private", ...placement });
const functionsIn = (template: Template): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    resourcesOf(template, "AWS::Lambda::Function")
      .filter(({ Properties }) => "FunctionName" in Properties)
      .map(({ Properties }) => [String(Properties.FunctionName).split("-").at(-1), Properties.VpcConfig]),
  );

describe("in a VPC (users' row 86)", () => {
  test("run the functions that ask the cluster, and no other", () => {
    const inside = { SubnetIds: placement.subnetIds, SecurityGroupIds: [expect.anything()] };
    expect(functionsIn(placed)).toEqual({ reconcile: inside, interruption: inside, setup: inside, catalog: undefined });
  });

  test("the cluster lets them in to port 443, and nobody may call them", () => {
    placed.hasResourceProperties("AWS::EC2::SecurityGroupIngress", {
      GroupId: "sg-0123abcd",
      SourceSecurityGroupId: Match.anyValue(),
      FromPort: 443,
      ToPort: 443,
    });
    placed.hasResourceProperties("AWS::EC2::SecurityGroup", { SecurityGroupIngress: Match.absent() });
  });

  test("S3 gets its gateway, and the output names the endpoints that are needed without a way out", () => {
    placed.hasResourceProperties("AWS::EC2::VPCEndpoint", {
      VpcEndpointType: "Gateway",
      ServiceName: "com.amazonaws.eu-west-1.s3",
      RouteTableIds: ["rtb-0123abcd"],
    });
    const services = Object.values(placed.findOutputs("*")).map(({ Value }) => Value);
    expect(services).toContainEqual(expect.stringMatching(/^ec2 eks .*sts.*ssm/));
  });

  test("Lambda makes their interfaces in the role's name; their own code may not", () => {
    const denied = statementsOf(placed, "OutriggerReconcile").filter(({ Effect }) => Effect === "Deny");
    expect(denied).toHaveLength(1);
    expect(denied[0]?.Condition).toHaveProperty("ArnEquals.lambda:SourceFunctionArn");
    // The loop looks at subnets.
    expect(denied[0]?.Action).not.toContain("ec2:DescribeSubnets");
  });

  test("without one there is no trace of it", () => {
    const outside = templateOf({ name: "blue" });
    expect(Object.values(functionsIn(outside))).toEqual([undefined, undefined, undefined, undefined]);
    expect(resourcesOf(outside, "AWS::EC2::SecurityGroup")).toEqual([]);
  });
});

test.each<[Partial<OutriggerProps>, RegExp]>([
  [{ endpointAccess: "private" }, /the cluster's endpoint is private, so that functions outside its VPC would wait/],
  [{ endpointAccess: "limited" }, /the cluster's endpoint is open to some addresses only, .* set vpcId, subnetIds/],
  [{ vpcId: placement.vpcId }, /subnetIds: must be set too where vpcId is; clusterSecurityGroupId: must be set too/],
  [{ subnetIds: placement.subnetIds }, /subnetIds: has no meaning without vpcId/],
  [{ vpcId: "blue" }, /vpcId: must be the id of a VPC/],
  [{ placeInVpc: true }, /placeInVpc: needs `cluster`/],
])("%j ends the synthesis in words", (props, words) => {
  expect(() => new Outrigger(new Stack(quickApp(), "Stack"), "Outrigger", { clusterName: "blue", ...props })).toThrow(
    words,
  );
});

describe("a cluster that the app makes or imports", () => {
  const stackOf = (): Stack =>
    new Stack(quickApp(), "Stack", { env: { account: "111122223333", region: "eu-west-1" } });
  const made = (stack: Stack, endpointAccess = EndpointAccess.PUBLIC_AND_PRIVATE): Cluster =>
    new Cluster(stack, "Cluster", {
      version: KubernetesVersion.V1_33,
      endpointAccess,
    });

  test("gives its VPC and its security group", () => {
    const stack = stackOf();
    const cluster = made(stack, EndpointAccess.PRIVATE);
    new Outrigger(stack, "Outrigger", { cluster, clusterName: "blue", placeInVpc: true });
    const template = Template.fromStack(stack);
    expect(Object.keys(functionsIn(template)).sort()).toEqual(["catalog", "interruption", "reconcile", "setup"]);
    template.hasResourceProperties("AWS::EC2::SecurityGroupIngress", {
      GroupId: { "Fn::GetAtt": [Match.stringLikeRegexp("Cluster"), "ClusterSecurityGroupId"] },
      FromPort: 443,
    });
  });

  test("with a private endpoint must be placed in it", () => {
    const stack = stackOf();
    const cluster = made(stack, EndpointAccess.PRIVATE);
    expect(() => new Outrigger(stack, "Outrigger", { cluster, clusterName: "blue" })).toThrow(
      "the cluster's endpoint is private",
    );
  });

  test("open to some addresses only must be too", () => {
    const stack = stackOf();
    const cluster = made(stack, EndpointAccess.PUBLIC_AND_PRIVATE.onlyFrom("192.0.2.0/24"));
    expect(() => new Outrigger(stack, "Outrigger", { cluster, clusterName: "blue" })).toThrow(
      "open to some addresses only",
    );
  });

  test("whose name nobody knows yet needs it beside", () => {
    const stack = stackOf();
    const cluster = made(stack);
    expect(() => new Outrigger(stack, "Outrigger", { cluster })).toThrow("clusterName: must be set beside `cluster`");
  });

  test("that is imported, of either module, gives its name", () => {
    const stack = stackOf();
    const cluster = ClusterV1.fromClusterAttributes(stack, "Imported", { clusterName: "green" });
    new Outrigger(stack, "Outrigger", { cluster });
    Template.fromStack(stack).hasResourceProperties("AWS::Lambda::Function", {
      FunctionName: "outrigger-green-reconcile",
    });
  });
});
