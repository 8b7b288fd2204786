import { describe, expect, onTestFinished, test } from "vitest";
import type { EnsureCloudResource, EnsureLaunchTemplate, LaunchInstance, LaunchOption } from "#core/command.ts";
import type { CloudObservation } from "#core/snapshot.ts";
import type { Ec2Query, Ec2View, FilterQuery } from "#ec2/view.ts";
import type { Cloud } from "#ports/cloud.ts";
import { faultKindOf, instanceOf, type LaunchingCloud, launchContract } from "./launch-contract.ts";

/** A cloud that can be told what to refuse; made anew for each test. */
export interface CloudUnderTest {
  readonly cloud: Cloud<Ec2Query, Ec2View>;
  readonly clusterName: string;
  /** Two types for x86-64 that are sold on demand in both zones. */
  readonly types: readonly [string, string];
  readonly zones: readonly [string, string];
  /** Drives whatever the work waits for. */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>;
  /** Lets time pass: launches finish, terminations finish, reads catch up. */
  readonly settle: () => Promise<void>;
  /** This pool has nothing to give from now on. */
  readonly makeShort: (pool: { instanceType: string; zone: string; capacityType: string }) => Promise<void>;
  /** The next launch is refused by the rate limit, and does nothing. */
  readonly throttleNextLaunch: () => Promise<void>;
  /** The next launch takes effect, and its reply is lost. */
  readonly loseNextLaunchReply: () => Promise<void>;
  /** The next read of instances is throttled. */
  readonly throttleNextRead: () => Promise<void>;
  /** Ends it; called after each test. */
  readonly end: () => Promise<void>;
}

const alias = "/aws/service/eks/optimized-ami/1.32/amazon-linux-2023/x86_64/standard";
const parameter = `${alias}/amazon-eks-node-al2023-x86_64-standard-1.32-v20240807/image_id`;

const noQuery: Ec2Query = { subnets: [], securityGroups: [], images: [], parameters: [], roles: [] };

const byDiscovery: FilterQuery = {
  key: "discovery",
  filters: [{ name: "tag:karpenter.sh/discovery", values: ["any-cluster"] }],
};
const imageByParameter: FilterQuery = {
  key: "image",
  filters: [{ name: "image-id", values: [`resolve:ssm:${parameter}`] }],
};
const usualQuery: Ec2Query = {
  subnets: [byDiscovery],
  securityGroups: [byDiscovery],
  images: [imageByParameter],
  parameters: [parameter, "/aws/service/eks/optimized-ami/1.32/amazon-linux-2023/x86_64/standard/nonsense/image_id"],
  roles: ["KarpenterNodeRole-test"],
};
const role = "KarpenterNodeRole-test";
const profile: EnsureCloudResource = {
  kind: "ensure-cloud-resource",
  type: "instance-profile",
  name: "contract_profile",
  content: { role, path: "/karpenter/us-east-1/contract/1/" },
  tags: { "karpenter.k8s.aws/ec2nodeclass": "default" },
};

/** What every adapter must do that speaks of EC2, beside what any cloud must. `make` answers a cloud of its own for each test. */
export function cloudContract(name: string, make: () => Promise<CloudUnderTest>): void {
  describe(`${name}: reading`, () => reading(make));
  launchContract(name, () => begin(make));
  describe(`${name}: instances`, () => showing(make));
  describe(`${name}: shortages and faults`, () => shortages(make));
}

type Make = () => Promise<CloudUnderTest>;

function reading(make: Make): void {
  test("subnets and security groups answer under the key of their query", async () => {
    const { view } = await (await begin(make)).observe(usualQuery);
    const subnets = view.subnets.discovery ?? [];
    expect(new Set(subnets.map(({ zone }) => zone)).size).toBeGreaterThanOrEqual(2);
    for (const subnet of subnets) {
      expect(subnet.id).toMatch(/^subnet-[0-9a-f]+$/);
      expect(subnet.freeAddresses).toBeGreaterThan(0);
      expect(subnet.zoneId).not.toBe("");
    }
    expect(view.securityGroups.discovery?.[0]?.id).toMatch(/^sg-[0-9a-f]+$/);
  });

  test("an image is found by the SSM parameter that names it, and a parameter that does not exist is absent", async () => {
    const { view } = await (await begin(make)).observe(usualQuery);
    expect(Object.keys(view.parameters)).toEqual([parameter]);
    const image = view.images.image?.[0];
    expect(image).toMatchObject({ id: view.parameters[parameter], arch: "amd64" });
    expect(image?.name).toContain("v20240807");
  });

  test("an instance profile that was ensured is found by its role, and may be ensured again", async () => {
    const cloud = await begin(make);
    const { view } = await cloud.observe(usualQuery);
    expect(view.instanceProfiles[role]).toEqual(profile.name);
    expect((await cloud.apply(profile)).kind).toBe("done");
  });

  test("an instance profile may be removed twice", async () => {
    const cloud = await begin(make);
    const remove = { kind: "delete-cloud-resource", type: profile.type, name: profile.name } as const;
    for (let i = 0; i < 2; i++) expect((await cloud.apply(remove)).kind).toBe("done");
    const launched = await cloud.launch({});
    expect(launched).toMatchObject({ fault: { kind: "launch-refused", code: "InvalidParameterValue" } });
  });

  test("an id that nobody has answers an empty list, not an absent one", async () => {
    const byId: FilterQuery = { key: "none", filters: [{ name: "subnet-id", values: ["subnet-nowhere"] }] };
    const { view } = await (await begin(make)).observe({ ...noQuery, subnets: [byId] });
    expect(view.subnets.none).toEqual([]);
  });

  test("a throttled read says what it lacks", async () => {
    const cloud = await begin(make);
    await cloud.throttleNextRead();
    expect((await cloud.observe(noQuery)).incomplete).toContain("instances");
    expect((await cloud.observe(noQuery)).incomplete).toEqual([]);
  });
}

function showing(make: Make): void {
  test("an instance shows where it is and what it was made of", async () => {
    const cloud = await begin(make);
    const { id } = instanceOf(await cloud.launch({}));
    await cloud.settle();
    expect(await cloud.instances()).toMatchObject([
      {
        providerID: `aws:///${cloud.zones[0]}/${id}`,
        imageId: cloud.imageId,
        subnetId: cloud.subnetIn(cloud.zones[0]),
        securityGroupIds: cloud.securityGroupIds,
      },
    ]);
  });

  test("another cluster's instance and an untagged one are not shown", async () => {
    const cloud = await begin(make);
    await cloud.launch({ token: "t-1", tags: { ...cloud.tags, "eks:eks-cluster-name": "somebody-else" } });
    await cloud.launch({ token: "t-2", tags: {} });
    await cloud.settle();
    expect(await cloud.instances()).toEqual([]);
  });
}

function shortages(make: Make): void {
  test("without capacity the fault names every offering that was refused", async () => {
    const cloud = await begin(make);
    const pool = { instanceType: cloud.types[0], zone: cloud.zones[0], capacityType: "on-demand" };
    await cloud.makeShort(pool);
    const outcome = await cloud.launch({});
    expect(outcome).toMatchObject({
      kind: "failed",
      fault: { kind: "insufficient-capacity", code: "InsufficientInstanceCapacity", offerings: [pool] },
    });
  });

  test("what one pool lacks another option gives", async () => {
    const cloud = await begin(make);
    await cloud.makeShort({ instanceType: cloud.types[0], zone: cloud.zones[0], capacityType: "on-demand" });
    const options = [cloud.option(cloud.types[0], cloud.zones[0]), cloud.option(cloud.types[1], cloud.zones[1])];
    expect(instanceOf(await cloud.launch({ options }))).toMatchObject({
      instanceType: cloud.types[1],
      zone: cloud.zones[1],
    });
  });

  test("a throttled launch has no effect and may be repeated with its token", async () => {
    const cloud = await begin(make);
    await cloud.throttleNextLaunch();
    expect(faultKindOf(await cloud.launch({ token: "t-1" }))).toBe("throttled");
    await cloud.settle();
    expect(await cloud.instances()).toEqual([]);
    instanceOf(await cloud.launch({ token: "t-1" }));
    await cloud.settle();
    expect(await cloud.instances()).toHaveLength(1);
  });

  test("a launch whose reply was lost is found again by its token", async () => {
    const cloud = await begin(make);
    await cloud.loseNextLaunchReply();
    expect(faultKindOf(await cloud.launch({ token: "t-1" }))).toBe("unavailable");
    const found = instanceOf(await cloud.launch({ token: "t-1" }));
    await cloud.settle();
    expect((await cloud.instances()).map(({ id }) => id)).toEqual([found.id]);
  });
}

interface Prepared extends CloudUnderTest, Omit<LaunchingCloud, keyof CloudUnderTest> {
  readonly observe: (query: Ec2Query) => Promise<CloudObservation<Ec2View>>;
  readonly subnetIn: (zone: string) => string;
  readonly imageId: string;
  readonly securityGroupIds: readonly string[];
}

/** A cloud with a launch template in it, and shorthands that wait. */
async function begin(make: () => Promise<CloudUnderTest>): Promise<Prepared> {
  const made = await make();
  const { cloud, run, clusterName, types, zones } = made;
  onTestFinished(made.end);
  await run(() => cloud.apply(profile));
  const { view } = await run(() => cloud.observe(usualQuery));
  const subnets = view.subnets.discovery ?? [];
  const securityGroupIds = (view.securityGroups.discovery ?? []).map(({ id }) => id);
  const imageId = view.parameters[parameter] ?? "";
  const tags = {
    "eks:eks-cluster-name": clusterName,
    "karpenter.sh/nodepool": "default",
    "karpenter.k8s.aws/ec2nodeclass": "default",
  };
  const template: EnsureLaunchTemplate = {
    kind: "ensure-launch-template",
    name: "karpenter.k8s.aws/contract",
    imageId,
    bootstrap: { clusterName, labels: {}, taints: [] },
    details: {
      IamInstanceProfile: { Name: view.instanceProfiles[role] ?? "" },
      NetworkInterfaces: [{ DeviceIndex: 0, Groups: [...securityGroupIds] }],
    },
    tags,
  };
  await run(() => cloud.apply(template));
  const subnetIn = (zone: string): string => subnets.find((subnet) => subnet.zone === zone)?.id ?? "";
  const option = (instanceType: string, zone: string): LaunchOption => ({
    ...{ instanceType, zone, pricePerHour: 0.1, subnetId: subnetIn(zone) },
    launchTemplate: template.name,
  });
  const usual: LaunchInstance = {
    kind: "launch-instance",
    nodeClaim: "default-abc",
    nodeClaimUid: "11111111-2222-3333-4444-555555555555",
    attempt: 1,
    token: "t-0",
    capacityType: "on-demand",
    options: [option(types[0], zones[0])],
    tags,
  };
  return {
    ...made,
    ...{ option, subnetIn, template, imageId, securityGroupIds, tags },
    ...{ capacityType: usual.capacityType, unknownId: "i-0123456789abcdef0" },
    observe: (query) => run(() => cloud.observe(query)),
    apply: (command) => run(() => cloud.apply(command)),
    instances: async () => (await run(() => cloud.observe(noQuery))).instances,
    launch: (change) => run(() => cloud.apply({ ...usual, ...change })),
  };
}
