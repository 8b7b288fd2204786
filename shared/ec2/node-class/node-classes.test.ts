import { describe, expect, test } from "vitest";
import type { EC2NodeClass, EC2NodeClassSpec } from "#api/ec2-v1/ec2nodeclass.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { conditionOf } from "#core/condition.ts";
import type { Settings } from "#core/settings.ts";
import { claimOf, nodeClassOf, resolvedClass, settings, snapshotOf, subnets } from "../../../test/support/ec2-world.ts";
import type { Ec2View } from "../view.ts";
import { nodeClasses } from "./node-classes.ts";

function reasonOf(nodeClass: EC2NodeClass, type: string): string {
  const condition = conditionOf(nodeClass, type);
  return `${condition?.status} ${condition?.reason}`;
}

/** The class after one tick in which EC2 answered `view`. */
function afterTick(
  spec: Partial<EC2NodeClassSpec>,
  view: Partial<Ec2View> = {},
  of: Settings = settings,
): EC2NodeClass {
  const nodeClass = nodeClassOf(spec);
  const { commands } = nodeClasses(snapshotOf({ nodeClasses: [nodeClass] }, view, of));
  const patch = commands.find((command) => command.kind === "patch-status");
  return patch === undefined ? nodeClass : { ...nodeClass, status: patch.status };
}

test("the status is locked to the version that was read, or follows a locked write that gives the class its finalizer", () => {
  const bare = nodeClassOf({});
  const versioned = { ...bare, metadata: { ...bare.metadata, resourceVersion: "7" } };
  const locks = (nodeClass: EC2NodeClass) =>
    nodeClasses(snapshotOf({ nodeClasses: [nodeClass] })).commands.map((command) =>
      "target" in command ? [command.kind, command.target.resourceVersion] : [],
    );
  const { finalizers: _, ...unheld } = versioned.metadata;
  expect(locks({ ...versioned, metadata: unheld })).toEqual([
    ["patch-metadata", "7"],
    ["patch-status", undefined],
  ]);
  const held = { ...versioned, metadata: { ...unheld, finalizers: ["karpenter.k8s.aws/termination"] } };
  expect(locks(held)).toEqual([["patch-status", "7"]]);
});

/** Every query that the class asks, answered by `answer`. */
function everywhere<T>(
  kind: "subnets" | "securityGroups" | "images" | "placementGroups",
  answer: T,
  spec: Partial<EC2NodeClassSpec> = {},
): Readonly<Record<string, T>> {
  const { view } = snapshotOf({ nodeClasses: [nodeClassOf(spec)] }).cloud;
  return Object.fromEntries(Object.keys(view[kind] ?? {}).map((key) => [key, answer]));
}

describe("a class whose selectors find everything", () => {
  test("is Ready, with subnets by free addresses, groups by id, images with requirements, and a profile", () => {
    const { status } = resolvedClass();
    expect(status?.subnets).toEqual([
      { id: "subnet-0b", zone: "us-east-1b", zoneID: "use1-az2" },
      { id: "subnet-1a", zone: "us-east-1a", zoneID: "use1-az1" },
      { id: "subnet-0a", zone: "us-east-1a", zoneID: "use1-az1" },
    ]);
    expect(status?.securityGroups).toEqual([
      { id: "sg-1", name: "a" },
      { id: "sg-2", name: "b" },
    ]);
    expect(status?.amis).toHaveLength(5);
    expect(status?.instanceProfile).toBe("profile-of-node-role");
    expect(status?.conditions?.map(({ type, status: value }) => `${type}=${value}`)).toEqual([
      "AMIsReady=True",
      "CapacityReservationsReady=True",
      "InstanceProfileReady=True",
      "PlacementGroupReady=True",
      "SecurityGroupsReady=True",
      "SubnetsReady=True",
      "ValidationSucceeded=True",
      "Ready=True",
    ]);
    expect(status?.conditions?.every(({ observedGeneration }) => observedGeneration === 1)).toBe(true);
  });

  test("a second tick writes nothing, also when free addresses changed the order of subnets", () => {
    const nodeClass = resolvedClass();
    expect(nodeClasses(snapshotOf({ nodeClasses: [nodeClass] }))).toEqual({ commands: [], reasons: [] });
    const fewer = subnets.map((subnet) => ({ ...subnet, freeAddresses: 1_000 - subnet.freeAddresses }));
    const view = { subnets: everywhere("subnets", fewer) };
    expect(nodeClasses(snapshotOf({ nodeClasses: [nodeClass] }, view)).commands).toEqual([]);
  });

  test("another subnet changes the status and nothing else of it", () => {
    const nodeClass = resolvedClass();
    const view = { subnets: everywhere("subnets", subnets.slice(0, 1)) };
    const { commands } = nodeClasses(snapshotOf({ nodeClasses: [nodeClass] }, view));
    expect(commands.map((command) => command.kind === "patch-status" && Object.keys(command.status))).toEqual([
      ["subnets"],
    ]);
  });

  test("spec.instanceProfile is used as it is", () => {
    const { role: _, ...spec } = nodeClassOf({ instanceProfile: "own" }).spec;
    const nodeClass: EC2NodeClass = { ...nodeClassOf(), spec };
    const { commands } = nodeClasses(snapshotOf({ nodeClasses: [nodeClass] }));
    expect(commands[0]).toMatchObject({ status: { instanceProfile: "own" } });
  });
});

describe("what keeps a class from being ready", () => {
  test.each([
    ["SubnetsReady", { subnets: everywhere("subnets", []) }, "False SubnetsNotFound"],
    ["SecurityGroupsReady", { securityGroups: everywhere("securityGroups", []) }, "False SecurityGroupsNotFound"],
    ["AMIsReady", { images: everywhere("images", []) }, "False AMINotFound"],
    ["InstanceProfileReady", { instanceProfiles: {} }, "Unknown InstanceProfileNotFound"],
  ])("%s when nothing is found", (type, view, reason) => {
    const nodeClass = afterTick({}, view);
    expect(reasonOf(nodeClass, type)).toBe(reason);
    expect(reasonOf(nodeClass, "ValidationSucceeded")).toBe(`${reason.split(" ")[0]} DependenciesNotReady`);
    expect(conditionOf(nodeClass, "Ready")?.status).toBe(reason.split(" ")[0]);
  });

  test("an image family that the cluster's version does not have", () => {
    const al2 = { amiSelectorTerms: [{ alias: "al2@latest" }] };
    expect(reasonOf(afterTick(al2, {}, { ...settings, provider: { kubernetesVersion: "1.33" } }), "AMIsReady")).toBe(
      "False UnsupportedAlias",
    );
    expect(reasonOf(afterTick(al2, {}, { ...settings, provider: { kubernetesVersion: "1.32" } }), "AMIsReady")).toBe(
      "True AMIsReady",
    );
    const windows = { amiSelectorTerms: [{ alias: "windows2025@latest" }] };
    expect(
      reasonOf(afterTick(windows, {}, { ...settings, provider: { kubernetesVersion: "1.34" } }), "AMIsReady"),
    ).toBe("False UnsupportedAlias");
  });

  test.each([
    [{ tags: { "karpenter.sh/nodeclaim": "x" } }, "False TagValidationFailed"],
    [{ tags: { "kubernetes.io/cluster/other": "owned" } }, "False TagValidationFailed"],
    [{ tags: { "outrigger.dev/cluster": "x" } }, "False TagValidationFailed"],
    [{ userData: "x".repeat(16_385) }, "False UserDataSizeLimitExceeded"],
    [{ userData: "ü".repeat(8_193) }, "False UserDataSizeLimitExceeded"],
    [{ blockDeviceMappings: [{ ebs: { volumeSize: "20Gi" } }] }, "False BlockDeviceMappingInvalid"],
    [{ userData: `MIME-Version: 1.0\nContent-Type: text/plain\n\nx` }, "False UserDataInvalid"],
    [{ userData: "x".repeat(15_000), tags: { team: "a" } }, "True ValidationSucceeded"],
  ])("validation %#", (spec, reason) => expect(reasonOf(afterTick(spec), "ValidationSucceeded")).toBe(reason));

  test("a placement group that is not there", () => {
    const spec = { placementGroupSelector: { name: "pg" } };
    const placementGroups = everywhere("placementGroups", [], spec);
    const nodeClass = afterTick(spec, { placementGroups });
    expect(reasonOf(nodeClass, "PlacementGroupReady")).toBe("False PlacementGroupNotFound");
    expect(conditionOf(nodeClass, "Ready")?.status).toBe("False");
    const found = everywhere("placementGroups", [{ id: "pg-1", name: "pg", strategy: "cluster" }], spec);
    expect(reasonOf(afterTick(spec, { placementGroups: found }), "Ready")).toBe("True Ready");
  });

  test("user data that cannot work is told with its line", () => {
    const nodeClass = afterTick({ userData: 'Content-Type: multipart/mixed; boundary="B"\n\n--C\n' });
    expect(conditionOf(nodeClass, "ValidationSucceeded")?.message).toBe(
      "spec.userData, line 2: the boundary --B does not occur in the text",
    );
  });

  test("a cluster that may not be described", () => {
    const { clusterFacts: _, ...view } = snapshotOf({ nodeClasses: [nodeClassOf()] }).cloud.view;
    const refusals = { clusterFacts: "AccessDeniedException: no" };
    const lacking = { ...snapshotOf({ nodeClasses: [nodeClassOf()] }) };
    const { commands } = nodeClasses({ ...lacking, cloud: { ...lacking.cloud, view: { ...view, refusals } } });
    const patch = commands.find((command) => command.kind === "patch-status");
    const nodeClass = { ...nodeClassOf(), ...(patch === undefined ? {} : { status: patch.status }) };
    expect(reasonOf(nodeClass, "ValidationSucceeded")).toBe("False ClusterCIDRResolutionFailed");
  });

  test("a reason says which condition and why", () => {
    const view = { subnets: everywhere("subnets", []) };
    const { reasons } = nodeClasses(snapshotOf({ nodeClasses: [nodeClassOf()] }, view));
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toMatchObject({
      code: "node-class-not-ready",
      message: "EC2NodeClass default is not ready: SubnetsReady: no subnet matches spec.subnetSelectorTerms",
      event: { type: "Warning", reason: "SubnetsNotFound" },
    });
  });
});

describe("a read that is missing", () => {
  test("leaves a ready class ready", () => {
    const nodeClass = resolvedClass();
    const { commands } = nodeClasses(snapshotOf({ nodeClasses: [nodeClass] }, { subnets: {}, images: {} }));
    expect(commands).toEqual([]);
  });

  test.each(["subnets", "securityGroups", "images", "parameters", "instanceProfiles"])(
    "nothing is concluded from %s that may lack something",
    (field) => {
      const nodeClass = resolvedClass();
      const half = { subnets: everywhere("subnets", subnets.slice(0, 1)), parameters: {}, instanceProfiles: {} };
      const groups = { securityGroups: everywhere("securityGroups", []), images: everywhere("images", []) };
      const all = { ...half, ...groups };
      const lacking = Object.fromEntries(Object.entries(all).filter(([name]) => name === field));
      const snapshot = snapshotOf({ nodeClasses: [nodeClass] }, lacking);
      expect(nodeClasses(snapshot).commands).not.toEqual([]);
      expect(nodeClasses({ ...snapshot, cloud: { ...snapshot.cloud, incomplete: [field] } }).commands).toEqual([]);
    },
  );

  test("leaves a new class waiting, not failed", () => {
    const nodeClass = afterTick({}, { subnets: {} });
    expect(conditionOf(nodeClass, "SubnetsReady")?.status).toBe("Unknown");
    expect(conditionOf(nodeClass, "Ready")?.status).toBe("Unknown");
  });
});

test("one bad class does not stop another", () => {
  const bad = nodeClassOf({ subnetSelectorTerms: [{ id: "subnet-none" }] }, "bad");
  const good = nodeClassOf({}, "good");
  const whole = snapshotOf({ nodeClasses: [bad, good] });
  const subnetAnswers = Object.fromEntries(
    Object.entries(whole.cloud.view.subnets).map(([key, found]) => [key, key.includes("subnet-none") ? [] : found]),
  );
  const { commands } = nodeClasses(snapshotOf({ nodeClasses: [bad, good] }, { subnets: subnetAnswers }));
  const ready = commands.map((command) =>
    command.kind === "patch-status" ? conditionOf({ ...good, status: command.status }, "Ready")?.status : undefined,
  );
  expect(ready).toEqual(["False", "True"]);
});

test("fields that the image family has no place for are named once", () => {
  const amiSelectorTerms = [{ alias: "bottlerocket@1.30.0" }];
  const nodeClass = afterTick({ amiSelectorTerms, kubelet: { podsPerCore: 4 } });
  const { reasons } = nodeClasses(snapshotOf({ nodeClasses: [nodeClass] }));
  expect(reasons.map(({ code, data }) => [code, data])).toEqual([
    [
      "not-supported",
      {
        fields: ["spec.kubelet.podsPerCore (Bottlerocket has no such setting)"],
      },
    ],
  ]);
});

describe("finalizer", () => {
  const bare = (): EC2NodeClass => {
    const { finalizers: _, ...metadata } = nodeClassOf().metadata;
    return { ...nodeClassOf(), metadata };
  };
  const deleting = (): EC2NodeClass => {
    const { metadata } = nodeClassOf();
    return { ...nodeClassOf(), metadata: { ...metadata, deletionTimestamp: "2026-11-30T12:00:00Z" } };
  };
  const foreign: NodeClaim = claimOf({
    nodeClassRef: { group: "eks.amazonaws.com", kind: "NodeClass", name: "default" },
  });

  test("is added to a new class, with its version as precondition", () => {
    const { commands } = nodeClasses(snapshotOf({ nodeClasses: [bare()] }));
    expect(commands[0]).toMatchObject({
      kind: "patch-metadata",
      target: { name: "default", resourceVersion: "1" },
      finalizers: ["karpenter.k8s.aws/termination"],
    });
  });

  test("holds a deleted class while a claim uses it, and says so", () => {
    const decision = nodeClasses(snapshotOf({ nodeClasses: [deleting()], nodeClaims: [claimOf()] }));
    expect(decision.commands).toEqual([]);
    expect(decision.reasons[0]).toMatchObject({
      message: "EC2NodeClass default waits for its NodeClaims to end: default-abcde",
      event: { type: "Normal", reason: "WaitingOnNodeClaimTermination" },
    });
  });

  test("goes when the last claim is gone; another provider's claim of that name does not count", () => {
    const { commands } = nodeClasses(snapshotOf({ nodeClasses: [deleting()], nodeClaims: [foreign] }));
    expect(commands).toMatchObject([{ kind: "patch-metadata", finalizers: [] }]);
  });
});
