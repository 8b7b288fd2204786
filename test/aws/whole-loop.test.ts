import { CreateAccessEntryCommand, DeleteAccessEntryCommand } from "@aws-sdk/client-eks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Condition } from "#api/core-v1/meta.ts";
import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import { type EC2NodeClass, type EC2NodeClassSpec, ec2Group } from "#api/ec2-v1/ec2nodeclass.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import { AwsWorld } from "../support/aws/aws-world.ts";
import { deploymentOf, nodeClassWith, poolOf } from "../support/aws/loop-objects.ts";
import { StandIn, type StandInFault } from "../support/aws/stand-in.ts";

let standIn: StandIn;
beforeAll(async () => {
  standIn = await StandIn.start();
});
afterAll(() => standIn.stop());

const pods = 3;
const anyCapacity: RequirementSpec = {
  key: "karpenter.sh/capacity-type",
  operator: "In",
  values: ["reserved", "spot", "on-demand"],
};
const spotOnly: RequirementSpec = { key: "karpenter.sh/capacity-type", operator: "In", values: ["spot"] };
const refused = (action: string, code: string, count = 99, message = "not you"): StandInFault => ({
  ...{ action, code, count, message },
  status: 400,
});

function running(world: AwsWorld): number {
  return world.list<Pod>("Pod").filter(({ status }) => status?.phase === "Running").length;
}

/** Whatever happened: no claim has two instances, and no instance is without a claim that knows it. */
async function expectWhole(world: AwsWorld): Promise<void> {
  const live = (await world.instances()).filter(({ State }) => /pending|running/.test(State?.Name ?? ""));
  const claimOf = ({ Tags = [] }: (typeof live)[number]) => Tags.find(({ Key }) => Key === "karpenter.sh/nodeclaim");
  const names = live.map((instance) => claimOf(instance)?.Value);
  expect(new Set(names).size).toBe(live.length);
  const known = world.list<NodeClaim>("NodeClaim").map(({ status }) => status?.providerID?.split("/").at(-1));
  for (const { InstanceId } of live) expect(known).toContain(InstanceId);
}

/** Everything that a person can read: conditions of classes and claims, events. */
function told(world: AwsWorld): string {
  const objects = [...world.list<EC2NodeClass>("EC2NodeClass"), ...world.list<NodeClaim>("NodeClaim")];
  const conditions = objects.flatMap(({ status }): readonly Condition[] => status?.conditions ?? []);
  const events = world.reports.flatMap(({ steps }) =>
    steps.flatMap(({ command }) => (command.kind === "record-event" ? [command] : [])),
  );
  return [
    ...conditions.filter(({ status }) => status !== "True").map((one) => `${one.reason}: ${one.message}`),
    ...events.filter(({ type }) => type === "Warning").map((one) => `${one.reason}: ${one.message}`),
  ].join("\n");
}

/** Those that were to launch something; a class is tried by a dry run. */
async function launches() {
  return (await standIn.calls("CreateFleet")).filter(({ parameters }) => parameters.DryRun !== "true");
}

interface Case {
  readonly spec?: Partial<EC2NodeClassSpec>;
  readonly requirements?: readonly RequirementSpec[];
  readonly ticks?: number;
  readonly before?: () => Promise<unknown>;
  readonly faults?: readonly StandInFault[];
}

async function runOf({ spec, requirements = [anyCapacity], ticks = 7, before, faults = [] }: Case): Promise<AwsWorld> {
  const world = await AwsWorld.start(standIn, []);
  await before?.();
  for (const fault of faults) await standIn.fault(fault);
  world.load(nodeClassWith(spec), poolOf(...requirements), deploymentOf(pods));
  await world.ticks(ticks);
  await expectWhole(world);
  return world;
}

const reservation = {
  ...{ CapacityReservationId: "cr-1", InstanceType: "m5.large", AvailabilityZone: "us-east-1a" },
  ...{ InstanceMatchCriteria: "targeted", AvailableInstanceCount: 2, TotalInstanceCount: 2 },
};
const group = { GroupId: "pg-1", GroupName: "near", Strategy: "partition", PartitionCount: 3 };
const nvme: RequirementSpec = { key: "karpenter.k8s.aws/instance-local-nvme", operator: "Gt", values: ["1"] };
const windows: RequirementSpec = { key: "kubernetes.io/os", operator: "In", values: ["windows"] };

describe("classes whose pods run", () => {
  test.each<[string, Case]>([
    ["Bottlerocket", { spec: { amiSelectorTerms: [{ alias: "bottlerocket@latest" }] } }],
    ["Windows", { spec: { amiSelectorTerms: [{ alias: "windows2022@latest" }] }, requirements: [windows] }],
    [
      "images by name, in a partition of a placement group",
      {
        spec: {
          ...{ amiFamily: "AL2023", amiSelectorTerms: [{ name: "golden-*" }] },
          placementGroupSelector: { name: "near" },
        },
        before: async () => {
          await standIn.image({ name: "golden-1" });
          await standIn.placementGroup(group);
        },
      },
    ],
    ["instance stores", { spec: { instanceStorePolicy: "RAID0" }, requirements: [nvme] }],
    [
      "a role with its path, and every field that a template takes",
      {
        spec: {
          ...{ role: "path/to/node", associatePublicIPAddress: true, ipPrefixCount: 1, detailedMonitoring: true },
          ...{ connectionTracking: { udpTimeout: 40 }, tags: { team: "a" }, context: "reserved" },
          blockDeviceMappings: [{ deviceName: "/dev/xvda" }],
        },
      },
    ],
  ])("%s", async (_, given) => expect(running(await runOf(given))).toBe(pods));

  test("a reservation of two gives two, and the third is bought", async () => {
    const spec = { capacityReservationSelectorTerms: [{ id: "cr-1" }] };
    const world = await runOf({ spec, before: () => standIn.reservation(reservation), ticks: 9 });
    expect(running(world)).toBe(pods);
    const reserved = (await world.instances()).filter(({ CapacityReservationId }) => CapacityReservationId === "cr-1");
    expect(reserved).toHaveLength(2);
  });
});

describe("classes that cannot launch say why, and nothing is launched", () => {
  const slip = "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  kubelet: []\n";
  test.each<[string, Case, RegExp]>([
    ["no image", { spec: { amiFamily: "AL2023", amiSelectorTerms: [{ id: "ami-0123" }] } }, /AMINotFound: no image/],
    ["no subnet", { spec: { subnetSelectorTerms: [{ id: "subnet-0123" }] } }, /SubnetsNotFound: no subnet/],
    ["no such role", { spec: { role: "nobody" } }, /none can be made: IAM has no such role/],
    ["no such profile", { spec: { instanceProfile: "nobody" } }, /InstanceProfileNotFound: .*nobody/],
    ["no such group", { spec: { placementGroupSelector: { id: "pg-9" } } }, /PlacementGroupNotFound/],
    ["a slip in user data", { spec: { userData: slip } }, /UserDataInvalid: spec.userData, line 4: spec.kubelet/],
    ["a nameless device", { spec: { blockDeviceMappings: [{ ebs: { volumeSize: "9Gi" } }] } }, /has no deviceName/],
    [
      "subnets may not be read",
      { faults: [refused("DescribeSubnets", "UnauthorizedOperation")] },
      /\(Unauth.*not you\)/,
    ],
    [
      "profiles may not be made",
      { faults: [refused("CreateInstanceProfile", "AccessDenied")] },
      /AccessDenied: not you/,
    ],
    [
      "IAM is out of reach",
      { faults: [{ action: "ListInstanceProfiles", count: 99, effect: "unreachable" }] },
      /IAM could/,
    ],
  ])("%s", async (_, given, wanted) => {
    const world = await runOf({ ticks: 4, ...given });
    expect(told(world)).toMatch(wanted);
    expect(await launches()).toEqual([]);
  });
});

test("a partition that EC2 chose itself is on the nodes, as DescribeInstances shows it", async () => {
  const spec = { placementGroupSelector: { name: "near" } };
  const world = await runOf({ spec, before: () => standIn.placementGroup(group), ticks: 9 });
  expect(running(world)).toBe(pods);
  const chosen = (await world.instances()).map(({ Placement }) => String(Placement?.PartitionNumber)).sort();
  const nodes = world
    .list<Node>("Node")
    .map(({ metadata }) => metadata.labels?.[`${ec2Group}/placement-group-partition`]);
  expect(nodes.sort()).toEqual(chosen);
  expect(chosen.every((number) => /^[123]$/.test(number))).toBe(true);
});

test("pods that spread over the partitions of a placement group get a machine in each", async () => {
  const world = await AwsWorld.start(standIn, []);
  await standIn.placementGroup(group);
  const topologyKey = "karpenter.k8s.aws/placement-group-partition";
  const spread = { maxSkew: 1, topologyKey, whenUnsatisfiable: "DoNotSchedule" as const };
  const topologySpreadConstraints = [{ ...spread, labelSelector: { matchLabels: { app: "web" } } }];
  const spec = { placementGroupSelector: { name: "near" } };
  world.load(nodeClassWith(spec), poolOf(anyCapacity), deploymentOf(pods, { topologySpreadConstraints }));
  await world.ticks(8);
  expect(running(world)).toBe(pods);
  const templates = (await world.instances()).map(({ InstanceId = "" }) => standIn.launchedWith(InstanceId));
  const placements = (await Promise.all(templates)).map(({ Placement }) => Placement);
  const wanted = [1, 2, 3].map((PartitionNumber) => expect.objectContaining({ GroupId: "pg-1", PartitionNumber }));
  expect(placements).toHaveLength(pods);
  expect(placements).toEqual(expect.arrayContaining(wanted));
});

test("row 69: a node role with an access entry for people is told, and no machine is bought for it", async () => {
  const world = await AwsWorld.start(standIn, [nodeClassWith(), poolOf(anyCapacity), deploymentOf(pods)]);
  const principalArn = `arn:aws:iam::${standIn.account}:role/node`;
  await world.clients.eks.send(new CreateAccessEntryCommand({ clusterName: "demo", principalArn }));
  await world.ticks(4);
  expect(told(world)).toMatch(/NodeRoleNotAuthorized: .*STANDARD/);
  expect(await launches()).toEqual([]);
  await world.clients.eks.send(new DeleteAccessEntryCommand({ clusterName: "demo", principalArn }));
  await world.clients.eks.send(new CreateAccessEntryCommand({ clusterName: "demo", principalArn, type: "EC2_LINUX" }));
  await world.ticks(8, 30_000);
  expect(running(world)).toBe(pods);
});

describe("faults that pass: every pod runs in the end, on one instance each", () => {
  const fault = (action: string, change: Partial<StandInFault> = {}): Case => ({
    faults: [{ action, count: 2, ...change }],
    ticks: 14,
  });
  test.each<[string, Case]>([
    ["launches are throttled", fault("CreateFleet", { count: 4 })],
    ["row 62: replies to launches are lost", fault("CreateFleet", { effect: "reply-lost" })],
    ["launches meet an error of EC2's own", fault("CreateFleet", { status: 500, code: "InternalError" })],
    ["templates are throttled", fault("CreateLaunchTemplate")],
    ["replies to templates are lost", fault("CreateLaunchTemplate", { effect: "reply-lost" })],
    ["row 59: instances cannot be listed", fault("DescribeInstances", { nth: 4, count: 9, contains: "karpenter.sh" })],
    ["images cannot be listed", fault("DescribeImages", { count: 6, status: 500, code: "InternalError" })],
    ["parameters are throttled", fault("GetParameters", { count: 6, status: 400, code: "ThrottlingException" })],
    [
      "a role cannot be put into its profile at first",
      fault("AddRoleToInstanceProfile", { status: 403, code: "AccessDenied" }),
    ],
    ["tags are throttled", fault("CreateTags", { count: 5 })],
    [
      "a zone's subnet is full",
      { before: () => standIn.shortage({ zone: "us-east-1a", code: "InsufficientFreeAddressesInSubnet" }), ticks: 9 },
    ],
    ["there is no spot capacity", { before: () => standIn.shortage({ capacityType: "spot" }), ticks: 9 }],
  ])("%s", async (_, given) => expect(running(await runOf(given))).toBe(pods));

  test("the spot role is missing: the pods run on demand, and the NodePool goes on saying what to run", async () => {
    const code = "AuthFailure.ServiceLinkedRoleCreationNotPermitted";
    const world = await runOf({ before: () => standIn.shortage({ capacityType: "spot", code }), ticks: 9 });
    expect(running(world)).toBe(pods);
    const conditions = world.list<NodePool>("NodePool").flatMap(({ status }) => status?.conditions ?? []);
    expect(conditions.find(({ type }) => type === "LaunchesAllowed")).toMatchObject({
      reason: "SpotSLRCreationFailed",
      message: expect.stringMatching(
        /^spot .*aws iam create-service-linked-role --aws-service-name spot\.amazonaws\.com/,
      ),
    });
  });
});

describe("refusals that a person must mend are told, and cost few calls", () => {
  test.each<[string, Case, RegExp]>([
    [
      "launches are not allowed",
      { faults: [refused("CreateFleet", "UnauthorizedOperation")] },
      /CreateFleetAuthCheckFailed: .*not you/,
    ],
    [
      "a parameter is refused",
      { faults: [refused("CreateFleet", "InvalidParameterValue")] },
      /LaunchFailed: Inv.*: not you/,
    ],
    [
      "the account is not verified",
      { faults: [refused("CreateFleet", "PendingVerification")] },
      /AccountPendingVerification/,
    ],
    ["no more templates", { faults: [refused("CreateLaunchTemplate", "LaunchTemplateQuotaExceeded")] }, /not you/],
    [
      "the image is gone",
      { before: () => standIn.shortage({ code: "InvalidAMIID.NotFound", message: "no image" }) },
      /AMINotFound: no image/,
    ],
    [
      "the quota is used up",
      { before: () => standIn.shortage({ code: "VcpuLimitExceeded", message: "limit of 32" }) },
      /VCPULimitExceeded: limit of 32/,
    ],
    [
      "only spot, and its role is missing",
      {
        requirements: [spotOnly],
        before: () =>
          standIn.shortage({ code: "AuthFailure.ServiceLinkedRoleCreationNotPermitted", message: "no role" }),
      },
      /SpotSLRCreationFailed: .*aws iam create-service-linked-role --aws-service-name spot\.amazonaws\.com/,
    ],
    [
      "status checks may not be read",
      { faults: [refused("DescribeInstanceStatus", "UnauthorizedOperation")] },
      /CloudReadRefused/,
    ],
  ])("%s", async (_, given, wanted) => {
    const world = await runOf({ ticks: 10, ...given });
    expect(told(world)).toMatch(wanted);
    // Ten ticks within a hundred seconds, of three pods.
    expect((await launches()).length).toBeLessThanOrEqual(24);
  });
});

test("what was wrong with a class and is mended is forgotten", async () => {
  const world = await runOf({ spec: { userData: "spec: {}\n" }, ticks: 4 });
  expect(told(world)).toContain("UserDataInvalid");
  world.patchNodeClass({ userData: null });
  await world.ticks(8);
  expect(running(world)).toBe(pods);
});
