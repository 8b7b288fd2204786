import { describe, expect, test } from "vitest";
import type { EC2NodeClass, EC2NodeClassSpec } from "#api/ec2-v1/ec2nodeclass.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { Command } from "#core/command.ts";
import type { Instance } from "#core/instance.ts";
import { claimOf, nodeClassOf, nowMs, resolvedClass, snapshotOf } from "../../../test/support/ec2-world.ts";
import { nodeClasses } from "../node-class/node-classes.ts";
import type { Ec2View } from "../view.ts";
import { classHash, classHashVersion } from "./class-hash.ts";
import { classHashAnnotations } from "./class-hash-annotations.ts";
import { ec2Drift } from "./drift.ts";

const hashKey = "karpenter.k8s.aws/ec2nodeclass-hash";
const versionKey = "karpenter.k8s.aws/ec2nodeclass-hash-version";

const instance: Instance = {
  ...{ id: "i-1", providerID: "aws:///us-east-1a/i-1", state: "running", instanceType: "m5.large", zone: "us-east-1a" },
  ...{ capacityType: "on-demand", launchedAtMs: nowMs, tags: {}, subnetId: "subnet-0a" },
  securityGroupIds: ["sg-1", "sg-2"],
};

function claimWith(annotations: Readonly<Record<string, string>> = {}, labels = {}): NodeClaim {
  const claim = claimOf({}, { "node.kubernetes.io/instance-type": "m5.large", ...labels });
  const image = resolvedClass().status?.amis?.find(({ name }) => name?.includes("x86_64/standard"))?.id ?? "";
  return { ...claim, metadata: { ...claim.metadata, annotations }, status: { imageID: image } };
}

function driftOf(
  nodeClass: EC2NodeClass,
  { claim = claimWith(), of = instance, view = {} }: { claim?: NodeClaim; of?: Instance; view?: Partial<Ec2View> } = {},
) {
  return ec2Drift(snapshotOf({ nodeClasses: [nodeClass] }, view), claim, of);
}

test("an instance as its class wants it has not drifted", () => {
  const nodeClass = resolvedClass();
  expect(driftOf(nodeClass, { claim: claimWith(classHashAnnotations(nodeClass)) })).toBeUndefined();
});

describe("what differs is said", () => {
  test("row 38: a security group too many, one too few, and both", () => {
    const groups = (...securityGroupIds: string[]) =>
      driftOf(resolvedClass(), { of: { ...instance, securityGroupIds } })?.message;
    expect(groups("sg-1", "sg-2", "sg-9")).toBe("i-1 has sg-9, which the class does not name");
    expect(groups("sg-1")).toBe("i-1 lacks sg-2 (b)");
    expect(groups("sg-1", "sg-9")).toBe("i-1 has sg-9, which the class does not name and lacks sg-2 (b)");
    expect(driftOf(resolvedClass(), { of: { ...instance, securityGroupIds: ["sg-1"] } })?.reason).toBe(
      "SecurityGroupDrift",
    );
  });

  test("another image than the type boots now", () => {
    const claim = { ...claimWith(), status: { imageID: "ami-old" } };
    expect(driftOf(resolvedClass(), { claim })).toMatchObject({
      reason: "AMIDrift",
      message: expect.stringMatching(/^m5\.large runs ami-old; it boots ami-\d \(image .*\) now$/),
    });
  });

  test("a subnet that the class does not have", () => {
    expect(driftOf(resolvedClass(), { of: { ...instance, subnetId: "subnet-9" } })).toEqual({
      reason: "SubnetDrift",
      message: "i-1 is in subnet-9; the class has subnet-0a, subnet-0b, subnet-1a",
    });
  });

  test("a reservation that is not selected any more", () => {
    const of = { ...instance, capacityType: "reserved", reservationId: "cr-9" };
    expect(driftOf(resolvedClass(), { of })?.reason).toBe("CapacityReservationDrift");
  });

  test("another placement group, and never one that could not be found", () => {
    const claim = claimWith({}, { "karpenter.k8s.aws/placement-group-id": "pg-1" });
    expect(driftOf(resolvedClass(), { claim })?.message).toBe(
      "the node is in placement group pg-1; the class names none",
    );
    expect(driftOf(resolvedClass({ placementGroupSelector: { name: "p" } }), { claim })).toBeUndefined();
  });

  test("the class itself comes first", () => {
    const claim = claimWith({ [hashKey]: "another", [versionKey]: classHashVersion });
    expect(driftOf(resolvedClass(), { claim, of: { ...instance, subnetId: "subnet-9" } })?.reason).toBe(
      "NodeClassDrift",
    );
  });
});

describe("what cannot be told is no drift", () => {
  test.each<[string, Partial<Parameters<typeof driftOf>[1]>]>([
    ["a hash of another version", { claim: claimWith({ [hashKey]: "x", [versionKey]: "v5" }) }],
    ["no hash", { claim: claimWith({ [versionKey]: classHashVersion }) }],
    ["no image", { claim: { ...claimWith(), status: {} } }],
    ["an unknown type", { claim: claimWith({}, { "node.kubernetes.io/instance-type": "x9.large" }) }],
    ["no groups reported", { of: { ...instance, securityGroupIds: [] } }],
  ])("%s", (_, change) => expect(driftOf(resolvedClass(), change)).toBeUndefined());

  test("a class whose status is empty", () => {
    expect(driftOf({ ...nodeClassOf(), status: {} })).toBeUndefined();
  });
});

describe("the hash of a class", () => {
  const hashOf = (spec: Partial<EC2NodeClassSpec>) => classHash(nodeClassOf(spec).spec);

  test("does not count selectors, order, and values that say nothing", () => {
    const base = hashOf({ tags: { a: "1", b: "2" } });
    expect(hashOf({ tags: { b: "2", a: "1" } })).toBe(base);
    expect(hashOf({ tags: { a: "1", b: "2" }, detailedMonitoring: false, kubelet: {} })).toBe(base);
    expect(hashOf({ tags: { a: "1", b: "2" }, subnetSelectorTerms: [{ id: "subnet-1" }], ipPrefixCount: 2 })).toBe(
      base,
    );
    expect(hashOf({ tags: { a: "1", b: "2" }, amiSelectorTerms: [{ alias: "al2023@latest" }] })).toBe(base);
  });

  test.each<Partial<EC2NodeClassSpec>>([
    { tags: { a: "2" } },
    { userData: "x" },
    { role: "other" },
    { kubelet: { maxPods: 5 } },
    { amiSelectorTerms: [{ alias: "bottlerocket@latest" }] },
    { detailedMonitoring: true },
    { metadataOptions: { httpPutResponseHopLimit: 2 } },
  ])("counts %j", (spec) => expect(hashOf(spec)).not.toBe(hashOf({})));
});

describe("the annotations", () => {
  const patchesOf = (nodeClass: EC2NodeClass, claims: readonly NodeClaim[] = []): readonly Command[] =>
    nodeClasses(snapshotOf({ nodeClasses: [nodeClass], nodeClaims: claims })).commands.filter(
      ({ kind }) => kind === "patch-metadata",
    );

  test("a class that changed takes its new hash; its claims keep theirs and drift", () => {
    const nodeClass = { ...resolvedClass(), spec: nodeClassOf({ userData: "x" }).spec };
    const patches = patchesOf(nodeClass, [claimWith(classHashAnnotations(resolvedClass()))]);
    expect(patches).toMatchObject([{ target: { kind: "NodeClass" }, annotations: { [versionKey]: classHashVersion } }]);
  });

  test("row 39: a class that Karpenter hashed hands its claims our hash, those that had drifted keep theirs", () => {
    const resolved = resolvedClass();
    const karpenters = { [hashKey]: "123", [versionKey]: "v5" };
    const nodeClass = { ...resolved, metadata: { ...resolved.metadata, annotations: karpenters } };
    const drifted: NodeClaim = {
      ...claimWith(karpenters),
      metadata: { ...claimWith(karpenters).metadata, name: "drifted" },
      status: {
        conditions: [
          {
            type: "Drifted",
            status: "True",
            reason: "AMIDrift",
            message: "",
            lastTransitionTime: "2026-11-30T11:00:00Z",
          },
        ],
      },
    };
    const wanted = classHashAnnotations(resolved);
    expect(patchesOf(nodeClass, [claimWith(karpenters), drifted])).toMatchObject([
      { target: { name: "default-abcde" }, annotations: wanted },
      { target: { name: "drifted" }, annotations: { [versionKey]: classHashVersion } },
      { target: { kind: "NodeClass" }, annotations: wanted },
    ]);
  });
});
