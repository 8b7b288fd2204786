import {
  CreateFleetCommand,
  type CreateFleetCommandInput,
  CreateLaunchTemplateCommand,
  DescribeImagesCommand,
  DescribeInstanceStatusCommand,
  DescribeInstancesCommand,
  DescribeInstanceTypesCommand,
  DescribeSpotPriceHistoryCommand,
  DescribeSubnetsCommand,
  RunInstancesCommand,
  TerminateInstancesCommand,
} from "@aws-sdk/client-ec2";
import {
  CreateAccessEntryCommand,
  CreateClusterCommand,
  DescribeAccessEntryCommand,
  DescribeClusterCommand,
} from "@aws-sdk/client-eks";
import { CreateInstanceProfileCommand, ListInstanceProfilesCommand } from "@aws-sdk/client-iam";
import { GetParametersCommand } from "@aws-sdk/client-ssm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { prepareAccount, type StandInAccount } from "../support/aws/account.ts";
import { type Clients, clientsOf } from "../support/aws/clients.ts";
import { StandIn } from "../support/aws/stand-in.ts";

const image = "/aws/service/eks/optimized-ami/1.32/amazon-linux-2023/x86_64/standard/recommended/image_id";
let standIn: StandIn;
let clients: Clients;
let account: StandInAccount;
let imageId: string;

beforeAll(async () => {
  standIn = await StandIn.start();
  clients = clientsOf(standIn);
});
afterAll(() => standIn.stop());
beforeEach(async () => {
  await standIn.reset();
  account = await prepareAccount(clients, "demo", "node");
  const { Parameters } = await clients.ssm.send(new GetParametersCommand({ Names: [image] }));
  imageId = Parameters?.[0]?.Value ?? "";
  await clients.iam.send(new CreateInstanceProfileCommand({ InstanceProfileName: "profile" }));
  await clients.ec2.send(
    new CreateLaunchTemplateCommand({
      LaunchTemplateName: "t",
      LaunchTemplateData: {
        ImageId: imageId,
        UserData: Buffer.from("#!/bin/sh").toString("base64"),
        IamInstanceProfile: { Name: "profile" },
        MetadataOptions: { HttpTokens: "required" },
        NetworkInterfaces: [{ DeviceIndex: 0, Groups: [account.securityGroupId] }],
      },
    }),
  );
});

function fleet(change: Partial<CreateFleetCommandInput> = {}, types = ["m5.large"]): CreateFleetCommand {
  return new CreateFleetCommand({
    Type: "instant",
    TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: "on-demand" },
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: { LaunchTemplateName: "t", Version: "$Latest" },
        Overrides: types.flatMap((InstanceType) =>
          account.subnetIds.map((SubnetId) => ({ InstanceType: InstanceType as "m5.large", SubnetId })),
        ),
      },
    ],
    TagSpecifications: [{ ResourceType: "instance", Tags: [{ Key: "a", Value: "b" }] }],
    ...change,
  });
}

async function nameOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "no error";
  } catch (error) {
    return (error as Error).name;
  }
}

async function launched(command = fleet()): Promise<string> {
  const { Instances, Errors } = await clients.ec2.send(command);
  const id = Instances?.[0]?.InstanceIds?.[0];
  if (id === undefined) throw new Error(`nothing launched: ${JSON.stringify(Errors)}`);
  return id;
}

async function instances() {
  const { Reservations = [] } = await clients.ec2.send(new DescribeInstancesCommand({ MaxResults: 1000 }));
  return Reservations.flatMap((reservation) => reservation.Instances ?? []);
}

describe("launches", () => {
  test("an instance has the template's groups, profile, metadata options and the request's tags", async () => {
    const id = await launched();
    const [instance] = await instances();
    expect(instance).toMatchObject({
      InstanceId: id,
      ImageId: imageId,
      State: { Name: "pending" },
      MetadataOptions: { HttpTokens: "required" },
      SecurityGroups: [{ GroupId: account.securityGroupId }],
      Tags: expect.arrayContaining([{ Key: "a", Value: "b" }]),
    });
    expect(instance?.IamInstanceProfile?.Arn).toContain("profile");
  });

  test("an instance is pending, runs, shuts down and is terminated in its time", async () => {
    const id = await launched();
    const states: (string | undefined)[] = [];
    const look = async () => states.push((await instances())[0]?.State?.Name);
    await look();
    await standIn.advance(5_000);
    await look();
    await clients.ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
    await look();
    await standIn.advance(30_000);
    await look();
    expect(states).toEqual(["pending", "running", "shutting-down", "terminated"]);
  });

  test("a token stands for the whole request", async () => {
    const id = await launched(fleet({ ClientToken: "t-1" }));
    expect(await launched(fleet({ ClientToken: "t-1" }))).toBe(id);
    const Tags = [{ Key: "a", Value: "other" }];
    const other = fleet({ ClientToken: "t-1", TagSpecifications: [{ ResourceType: "instance", Tags }] });
    expect(await nameOf(clients.ec2.send(other))).toBe("IdempotentParameterMismatch");
    await clients.ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
    expect(await nameOf(clients.ec2.send(fleet({ ClientToken: "t-1" })))).toBe("IdempotentInstanceTerminated");
    expect(await instances()).toHaveLength(1);
  });

  test("RunInstances compares its token too", async () => {
    const run = (InstanceType: "m5.large" | "c5.large") =>
      clients.ec2.send(
        new RunInstancesCommand({ ImageId: imageId, InstanceType, MinCount: 1, MaxCount: 1, ClientToken: "r-1" }),
      );
    const first = await run("m5.large");
    expect((await run("m5.large")).Instances?.[0]?.InstanceId).toBe(first.Instances?.[0]?.InstanceId);
    expect(await nameOf(run("c5.large"))).toBe("IdempotentParameterMismatch");
  });
});

describe("pools", () => {
  test("a pool without capacity is told as an error, and the next one is used", async () => {
    await standIn.shortage({ instanceType: "m5.large", zone: "us-east-1a", capacityType: "on-demand" });
    const answer = await clients.ec2.send(fleet());
    expect(answer.Errors?.map(({ ErrorCode }) => ErrorCode)).toEqual(["InsufficientInstanceCapacity"]);
    expect(answer.Instances?.[0]?.LaunchTemplateAndOverrides?.Overrides?.SubnetId).toBe(account.subnetIds[1]);
  });

  test("spot pools are chosen by weight: over fifty launches, neither always the cheapest nor at random", async () => {
    const chosen = new Map<string, number>();
    const types = ["m5.large", "m5a.large", "m6i.large"];
    for (let i = 0; i < 50; i++) {
      const id = await launched(
        fleet(
          {
            ClientToken: `s-${i}`,
            TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: "spot" },
            SpotOptions: { AllocationStrategy: "price-capacity-optimized" },
          },
          types,
        ),
      );
      const found = (await instances()).find(({ InstanceId }) => InstanceId === id);
      expect(found?.InstanceLifecycle).toBe("spot");
      const pool = `${found?.InstanceType} ${found?.Placement?.AvailabilityZone}`;
      chosen.set(pool, (chosen.get(pool) ?? 0) + 1);
      await standIn.advance(1_000);
    }
    expect(chosen.size).toBeGreaterThan(2);
    expect(Math.max(...chosen.values())).toBeGreaterThan(50 / (types.length * 2));
  });

  test("a dry run launches nothing", async () => {
    expect(await nameOf(clients.ec2.send(fleet({ DryRun: true })))).toBe("DryRunOperation");
    const run = new RunInstancesCommand({ ImageId: imageId, MinCount: 1, MaxCount: 1, DryRun: true });
    expect(await nameOf(clients.ec2.send(run))).toBe("DryRunOperation");
    expect(await instances()).toEqual([]);
  });
});

describe("faults", () => {
  test("the second of three calls is throttled", async () => {
    await standIn.fault({ action: "CreateFleet", nth: 2 });
    const names: string[] = [];
    for (const token of ["a", "b", "c"]) names.push(await nameOf(clients.ec2.send(fleet({ ClientToken: token }))));
    expect(names).toEqual(["no error", "RequestLimitExceeded", "no error"]);
    expect(await instances()).toHaveLength(2);
  });

  test("a reply is lost after the launch took effect", async () => {
    await standIn.fault({ action: "CreateFleet", effect: "reply-lost" });
    expect(await nameOf(clients.ec2.send(fleet({ ClientToken: "a" })))).not.toBe("no error");
    expect(await instances()).toHaveLength(1);
    await launched(fleet({ ClientToken: "a" }));
    expect(await instances()).toHaveLength(1);
  });

  test("mutating calls have a bucket of fifty that fills by five a second", async () => {
    let throttled = 0;
    const count = async (calls: number) => {
      throttled = 0;
      for (let i = 0; i < calls; i++) {
        const name = await nameOf(clients.ec2.send(fleet({ DryRun: true })));
        if (name === "RequestLimitExceeded") throttled += 1;
      }
    };
    await count(120);
    expect(throttled).toBeGreaterThan(30);
    await standIn.advance(2_000);
    await count(10);
    expect(throttled).toBe(0);
  });

  test("a new instance may be hidden from reads", async () => {
    await standIn.configure({ hiddenMs: 20_000 });
    const id = await launched();
    expect(await instances()).toEqual([]);
    const terminate = new TerminateInstancesCommand({ InstanceIds: [id] });
    expect(await nameOf(clients.ec2.send(terminate))).toBe("InvalidInstanceID.NotFound");
    await standIn.advance(20_000);
    expect(await instances()).toHaveLength(1);
  });
});

describe("reads", () => {
  test("parameters of AWS exist for every version asked for, and others do not", async () => {
    const Names = [image, image.replace("recommended", "nonsense"), image.replace("x86_64/standard", "arm64/neuron")];
    const { Parameters, InvalidParameters } = await clients.ssm.send(new GetParametersCommand({ Names }));
    expect(Parameters?.map(({ Name }) => Name)).toEqual([image]);
    expect(InvalidParameters?.toSorted()).toEqual(Names.slice(1).toSorted());
  });

  test("an image may be deprecated", async () => {
    const { id } = await standIn.image({ name: "own", deprecatedAt: "2020-01-01T00:00:00.000Z" });
    const { Images } = await clients.ec2.send(new DescribeImagesCommand({ Owners: ["self"], IncludeDeprecated: true }));
    expect(Images?.[0]).toMatchObject({ ImageId: id, Name: "own", DeprecationTime: "2020-01-01T00:00:00.000Z" });
  });

  test("status checks and scheduled events are told and can be asked for by filter", async () => {
    const id = await launched();
    await standIn.advance(5_000);
    await standIn.status({
      instanceId: id,
      events: [{ Code: "instance-retirement", NotBefore: "2030-01-01T00:00:00.000Z" }],
    });
    const ask = async (code: string) =>
      clients.ec2.send(new DescribeInstanceStatusCommand({ Filters: [{ Name: "event.code", Values: [code] }] }));
    expect((await ask("instance-retirement")).InstanceStatuses?.[0]?.InstanceId).toBe(id);
    expect((await ask("instance-stop")).InstanceStatuses).toEqual([]);
  });

  test("long lists come in pages", async () => {
    const first = await clients.ec2.send(new DescribeInstanceTypesCommand({ MaxResults: 100 }));
    expect(first.InstanceTypes).toHaveLength(100);
    expect(first.NextToken).toBeDefined();
    const history = await clients.ec2.send(new DescribeSpotPriceHistoryCommand({ MaxResults: 1000 }));
    expect(history.SpotPriceHistory).toHaveLength(1000);
    const subnets = await clients.ec2.send(new DescribeSubnetsCommand({ MaxResults: 5 }));
    expect(subnets.Subnets).toHaveLength(5);
  });

  test("instance profiles are listed below a path", async () => {
    const ours = new CreateInstanceProfileCommand({ InstanceProfileName: "ours", Path: "/karpenter/us-east-1/demo/" });
    await clients.iam.send(ours);
    const list = new ListInstanceProfilesCommand({ PathPrefix: "/karpenter/us-east-1/demo/" });
    const { InstanceProfiles } = await clients.iam.send(list);
    expect(InstanceProfiles?.map(({ InstanceProfileName }) => InstanceProfileName)).toEqual(["ours"]);
  });
});

describe("EKS", () => {
  test("access entries are made once and found again", async () => {
    await clients.eks.send(
      new CreateClusterCommand({ name: "demo", roleArn: "arn:aws:iam::123456789012:role/x", resourcesVpcConfig: {} }),
    );
    const { cluster } = await clients.eks.send(new DescribeClusterCommand({ name: "demo" }));
    expect(cluster?.accessConfig?.authenticationMode).toBe("API_AND_CONFIG_MAP");
    const principalArn = "arn:aws:iam::123456789012:role/node";
    const create = new CreateAccessEntryCommand({ clusterName: "demo", principalArn, type: "EC2_LINUX" });
    await clients.eks.send(create);
    expect(await nameOf(clients.eks.send(create))).toBe("ResourceInUseException");
    const describe = new DescribeAccessEntryCommand({ clusterName: "demo", principalArn });
    expect((await clients.eks.send(describe)).accessEntry?.type).toBe("EC2_LINUX");
    const nobody = new DescribeAccessEntryCommand({ clusterName: "demo", principalArn: `${principalArn}2` });
    expect(await nameOf(clients.eks.send(nobody))).toBe("ResourceNotFoundException");
  });
});
