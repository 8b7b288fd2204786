import { RunInstancesCommand } from "@aws-sdk/client-ec2";
import { CreateClusterCommand } from "@aws-sdk/client-eks";
import { CreateInstanceProfileCommand, CreateRoleCommand } from "@aws-sdk/client-iam";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AwsCloud } from "#aws/aws-cloud.ts";
import type { EnsureCloudResource } from "#core/command.ts";
import { dryRunTemplate } from "#ec2/node-class/dry-run.ts";
import type { DryRun, Ec2Query, FilterQuery } from "#ec2/view.ts";
import { realClock } from "../../shared/adapters/system/real-clock.ts";
import { prepareAccount } from "../support/aws/account.ts";
import { type Clients, clientsOf } from "../support/aws/clients.ts";
import { StandIn } from "../support/aws/stand-in.ts";

const noQuery: Ec2Query = { subnets: [], securityGroups: [], images: [], parameters: [], roles: [] };
const discovery = by("discovery", "tag:karpenter.sh/discovery", "demo");
const published = "/aws/service/eks/optimized-ami/1.32/amazon-linux-2023/x86_64/standard/recommended/image_id";
const credentials = { accessKeyId: "test", secretAccessKey: "test" };
let standIn: StandIn;
let clients: Clients;

beforeAll(async () => {
  standIn = await StandIn.start();
  clients = clientsOf(standIn);
});
afterAll(() => standIn.stop());
beforeEach(async () => {
  await standIn.reset();
  await prepareAccount(clients, "demo", "node");
});

function by(key: string, name: string, ...values: string[]): FilterQuery {
  return { key, filters: [{ name, values }] };
}

function cloudOf(clock = realClock): AwsCloud {
  const { endpoint, region } = standIn;
  return new AwsCloud({ clusterName: "demo", endpoint, region, credentials }, clock);
}

describe("one question does not spoil the others", () => {
  test("a parameter that may not be read is told in words, and AWS's own are still read", async () => {
    const refused = { status: 400, code: "AccessDeniedException", message: "no" };
    await standIn.fault({ action: "GetParameters", contains: "/own/ami", ...refused });
    const query = { ...noQuery, parameters: [published, "/own/ami"], subnets: [discovery] };
    const { view, incomplete } = await cloudOf().observe(query);
    expect(Object.keys(view.parameters)).toEqual([published]);
    expect(view.refusals).toMatchObject({ "/own/ami": "AccessDeniedException: no" });
    expect(view.subnets.discovery).toHaveLength(2);
    expect(incomplete).toEqual([]);
  });

  test("a throttled read of subnets leaves groups and instances whole, and says what it lacks", async () => {
    await standIn.fault({ action: "DescribeSubnets", count: 3 });
    const query = { ...noQuery, subnets: [discovery], securityGroups: [discovery] };
    const { view, incomplete } = await cloudOf().observe(query);
    expect(incomplete).toEqual(["subnets"]);
    expect(view.subnets.discovery).toBeUndefined();
    expect(view.securityGroups.discovery).toHaveLength(1);
  });

  test("a refused read of instances is a gap too: nothing may follow from an empty list", async () => {
    await standIn.fault({ action: "DescribeInstances", status: 403, code: "UnauthorizedOperation", message: "no" });
    const { instances, incomplete, view } = await cloudOf().observe(noQuery);
    expect(instances).toEqual([]);
    expect(incomplete).toEqual(["instances"]);
    expect(view.refusals?.instances).toBe("UnauthorizedOperation: no");
  });
});

describe("what is kept", () => {
  test("selectors are asked again after a minute, instances each time", async () => {
    let skippedMs = 0;
    const cloud = cloudOf({ nowMs: () => Date.now() + skippedMs, sleepUntil: async () => {} });
    const query = { ...noQuery, subnets: [discovery] };
    for (let i = 0; i < 3; i++) await cloud.observe(query);
    expect(await standIn.calls("DescribeSubnets")).toHaveLength(1);
    expect(await standIn.calls("DescribeInstances")).toHaveLength(3);
    skippedMs = 61_000;
    await cloud.observe(query);
    expect(await standIn.calls("DescribeSubnets")).toHaveLength(2);
  });
});

describe("reservations and placement groups", () => {
  test("reservations are found by id and by tag, with what they have left", async () => {
    const row = { InstanceType: "m5.large", AvailabilityZone: "us-east-1a", InstanceMatchCriteria: "targeted" };
    const Tags = [{ Key: "team", Value: "a" }];
    await standIn.reservation({ ...row, CapacityReservationId: "cr-1", AvailableInstanceCount: 3, Tags });
    await standIn.reservation({ ...row, CapacityReservationId: "cr-2", AvailableInstanceCount: 1, State: "expired" });
    const tagged: FilterQuery = {
      key: "tagged",
      filters: [
        { name: "tag:team", values: ["a"] },
        { name: "state", values: ["active"] },
      ],
    };
    const capacityReservations = [by("id", "reservation-id", "cr-1"), tagged, by("nobody", "reservation-id", "cr-0")];
    const { view } = await cloudOf().observe({ ...noQuery, capacityReservations });
    const one = {
      ...{ id: "cr-1", instanceType: "m5.large", zone: "us-east-1a", ownerId: "123456789012", availableCount: 3 },
      ...{ matchCriteria: "targeted", reservationType: "default", interruptible: false },
    };
    expect(view.capacityReservations).toEqual({ id: [one], tagged: [one], nobody: [] });
  });

  test("a placement group is found by its name, and one that nobody has is an empty answer", async () => {
    await standIn.placementGroup({ GroupId: "pg-1", GroupName: "p", Strategy: "partition", PartitionCount: 5 });
    const placementGroups = [by("p", "group-name", "p"), by("q", "group-name", "q")];
    const { view } = await cloudOf().observe({ ...noQuery, placementGroups });
    const found = { id: "pg-1", name: "p", strategy: "partition", partitions: 5 };
    expect(view.placementGroups).toEqual({ p: [found], q: [] });
  });
});

describe("the cluster", () => {
  test("its endpoint, certificate authority and service addresses", async () => {
    const roleArn = "arn:aws:iam::123456789012:role/x";
    const kubernetesNetworkConfig = { serviceIpv4Cidr: "10.100.0.0/16" };
    const cluster = { name: "demo", roleArn, resourcesVpcConfig: {}, kubernetesNetworkConfig };
    await clients.eks.send(new CreateClusterCommand(cluster));
    const { view } = await cloudOf().observe(noQuery);
    expect(view.clusterFacts).toMatchObject({
      serviceCidr: "10.100.0.0/16",
      endpoint: expect.stringMatching(/^https/),
    });
    expect(view.clusterFacts?.certificateAuthority).not.toBe("");
  });
});

describe("instance profiles", () => {
  const profile: EnsureCloudResource = {
    ...{ kind: "ensure-cloud-resource", type: "instance-profile", name: "demo_1", tags: {} },
    content: { role: "node", path: "/karpenter/us-east-1/demo/uid/" },
  };

  test("one that holds another role is refused and left as it is", async () => {
    await clients.iam.send(new CreateRoleCommand({ RoleName: "other", AssumeRolePolicyDocument: "{}" }));
    const cloud = cloudOf();
    await cloud.apply(profile);
    const other = { ...profile, content: { ...profile.content, role: "other" } };
    expect(await cloud.apply(other)).toMatchObject({
      fault: { kind: "invalid", message: expect.stringMatching("node") },
    });
    expect((await cloudOf().observe({ ...noQuery, roles: ["node"] })).view.ownProfiles).toMatchObject([
      { name: "demo_1", role: "node" },
    ]);
  });

  test("one that was made and got no role (a crash in between) gets it", async () => {
    await clients.iam.send(new CreateInstanceProfileCommand({ InstanceProfileName: "demo_1" }));
    expect((await cloudOf().apply(profile)).kind).toBe("done");
  });

  test("a role that does not exist leaves no profile behind", async () => {
    const lost = { ...profile, content: { ...profile.content, role: "nobody" } };
    expect(await cloudOf().apply(lost)).toMatchObject({ fault: { kind: "not-found" } });
    expect((await cloudOf().observe({ ...noQuery, roles: ["nobody"] })).view.ownProfiles).toEqual([]);
  });

  test("where IAM cannot be reached it is told, and only where a class names a role it is asked", async () => {
    await standIn.fault({ action: "ListInstanceProfiles", count: 3, effect: "unreachable" });
    const { view, incomplete } = await cloudOf().observe({ ...noQuery, roles: ["node"] });
    expect(view.refusals?.instanceProfiles).toBe("IAM could not be reached");
    expect(view.ownProfiles).toBeUndefined();
    expect(incomplete).toEqual([]);
    await cloudOf().observe(noQuery);
    expect(await standIn.calls("ListInstanceProfiles")).toHaveLength(3);
  });
});

test("failed checks and scheduled events are found, with the time since when", async () => {
  await prepareAccount(clients, "other", "other");
  const [subnet] = (await cloudOf().observe({ ...noQuery, subnets: [discovery] })).view.subnets.discovery ?? [];
  const { view } = await cloudOf().observe({ ...noQuery, parameters: [published] });
  const run = new RunInstancesCommand({
    ...{ ImageId: view.parameters[published], MinCount: 2, MaxCount: 2 },
    ...{ InstanceType: "m5.large", SubnetId: subnet?.id },
  });
  const { Instances = [] } = await clients.ec2.send(run);
  const [first = "", second = ""] = Instances.map(({ InstanceId }) => InstanceId);
  await standIn.advance(10_000);
  await standIn.status({ instanceId: first, systemStatus: "impaired", impairedSince: "2026-11-30T12:00:00.000Z" });
  const events = [
    { Code: "instance-retirement", Description: "The instance is running on degraded hardware" },
    { Code: "instance-stop", Description: "[Completed] The instance was stopped" },
  ];
  await standIn.status({ instanceId: second, events });
  const { statuses } = (await cloudOf().observe(noQuery)).view;
  const wanted = [
    { instanceId: first, systemFailedSinceMs: Date.parse("2026-11-30T12:00:00Z"), events: [] },
    { instanceId: second, events: ["instance-retirement"] },
  ];
  expect(statuses).toEqual(wanted.sort((a, b) => (a.instanceId < b.instanceId ? -1 : 1)));
});

describe("dry runs", () => {
  async function dryRun(): Promise<DryRun> {
    const query = { ...noQuery, subnets: [discovery], securityGroups: [discovery], parameters: [published] };
    const { view } = await cloudOf().observe(query);
    await clients.iam.send(new CreateInstanceProfileCommand({ InstanceProfileName: "profile" }));
    return {
      ...{ key: "k", launchTemplate: "karpenter.k8s.aws/dry-run-k" },
      imageId: view.parameters[published] ?? "",
      instanceType: "m5.large",
      subnetIds: (view.subnets.discovery ?? []).map(({ id }) => id),
      securityGroupIds: (view.securityGroups.discovery ?? []).map(({ id }) => id),
      instanceProfile: "profile",
      tags: { a: "b" },
    };
  }

  test("what is allowed is tried once in half an hour, and leaves nothing behind", async () => {
    const dryRuns = [await dryRun()];
    const cloud = cloudOf();
    for (let i = 0; i < 2; i++) {
      expect((await cloud.observe({ ...noQuery, dryRuns })).view.dryRuns).toEqual({ k: { kind: "allowed" } });
    }
    expect(await standIn.calls("RunInstances")).toHaveLength(1);
    const { instances, view } = await cloudOf().observe(noQuery);
    expect([instances, view.ownTemplates]).toEqual([[], []]);
  });

  test("RunInstances is asked with the details, in each subnet", async () => {
    const tried = await dryRun();
    const details = {
      MetadataOptions: { HttpTokens: "required" },
      BlockDeviceMappings: [{ DeviceName: "/dev/xvda", Ebs: { Encrypted: true, VolumeSize: 20 } }],
      NetworkInterfaces: [{ DeviceIndex: 0, Groups: [...tried.securityGroupIds] }],
    };
    const dryRuns = [{ ...tried, details }];
    expect((await cloudOf().observe({ ...noQuery, dryRuns })).view.dryRuns).toEqual({ k: { kind: "allowed" } });
    const [call] = await standIn.calls("RunInstances");
    expect(call?.parameters).toMatchObject({
      "MetadataOptions.HttpTokens": "required",
      "BlockDeviceMapping.1.Ebs.Encrypted": "true",
      "NetworkInterface.1.SubnetId": tried.subnetIds[0],
      "NetworkInterface.1.SecurityGroupId.1": tried.securityGroupIds[0],
    });
  });

  test("one subnet that is allowed is enough; none is a refusal in EC2's words", async () => {
    const dryRuns = [await dryRun()];
    const refused = { action: "RunInstances", status: 403, code: "UnauthorizedOperation", message: "not you" };
    await standIn.fault({ ...refused, count: 1 });
    expect((await cloudOf().observe({ ...noQuery, dryRuns })).view.dryRuns).toEqual({ k: { kind: "allowed" } });
    await standIn.fault({ ...refused, count: 2 });
    expect((await cloudOf().observe({ ...noQuery, dryRuns })).view.dryRuns).toEqual({
      k: { kind: "forbidden", call: "RunInstances", message: "not you" },
    });
  });

  test("CreateFleet is tried once its template is there, and is not forgotten when it is refused", async () => {
    const tried = await dryRun();
    const dryRuns = [tried];
    const cloud = cloudOf();
    const observed = async () => (await cloud.observe({ ...noQuery, dryRuns })).view.dryRuns;
    expect(await observed()).toEqual({ k: { kind: "allowed" } });
    expect((await cloud.apply(dryRunTemplate(tried, "demo"))).kind).toBe("done");
    await standIn.fault({ action: "CreateFleet", status: 403, code: "UnauthorizedOperation", message: "not you" });
    const refused = { k: { kind: "forbidden", call: "CreateFleet", message: "not you" } };
    expect([await observed(), await observed()]).toEqual([refused, refused]);
    expect(await standIn.calls("CreateFleet")).toHaveLength(2);
    expect(await standIn.calls("RunInstances")).toHaveLength(1);
    expect((await cloudOf().observe({ ...noQuery, dryRuns })).view.dryRuns).toEqual({ k: { kind: "allowed" } });
    expect((await cloudOf().observe(noQuery)).instances).toEqual([]);
  });

  test("a limit of rates is no verdict, and is not kept", async () => {
    const dryRuns = [await dryRun()];
    await standIn.fault({ action: "CreateLaunchTemplate" });
    const cloud = cloudOf();
    const first = await cloud.observe({ ...noQuery, dryRuns });
    expect([first.view.dryRuns, first.incomplete]).toEqual([{}, []]);
    expect((await cloud.observe({ ...noQuery, dryRuns })).view.dryRuns).toEqual({ k: { kind: "allowed" } });
  });
});
