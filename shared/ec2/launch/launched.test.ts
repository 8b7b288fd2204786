import { describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { Instance } from "#core/instance.ts";
import { claimOf, nowMs, resolvedClass, snapshotOf } from "../../../test/support/ec2-world.ts";
import { placementGroupQueries } from "../node-class/placement-group.ts";
import { ec2Provider } from "../provider.ts";

function instance(instanceType: string): Instance {
  return {
    id: "i-1",
    providerID: "aws:///us-east-1b/i-1",
    state: "pending",
    instanceType,
    zone: "us-east-1b",
    capacityType: "spot",
    launchedAtMs: nowMs,
    tags: {},
  };
}

const facts = (instanceType: string, requests: Readonly<Record<string, string>> = {}) =>
  ec2Provider.launched(
    snapshotOf({ nodeClasses: [resolvedClass()] }),
    claimOf({ resources: { requests } }),
    instance(instanceType),
  );

describe("what a launched instance tells of its node", () => {
  test("labels: all of its type with one value, and its place, price model, tenancy and pool", () => {
    expect(facts("m5.large").labels).toEqual({
      "node.kubernetes.io/instance-type": "m5.large",
      "kubernetes.io/arch": "amd64",
      "kubernetes.io/os": "linux",
      "topology.kubernetes.io/region": "us-east-1",
      "topology.kubernetes.io/zone": "us-east-1b",
      "topology.k8s.aws/zone-id": "use1-az2",
      "karpenter.sh/capacity-type": "spot",
      "karpenter.sh/nodepool": "default",
      "karpenter.k8s.aws/instance-category": "m",
      "karpenter.k8s.aws/instance-generation": "5",
      "karpenter.k8s.aws/instance-family": "m5",
      "karpenter.k8s.aws/instance-size": "large",
      "karpenter.k8s.aws/instance-capability-flex": "false",
      "karpenter.k8s.aws/instance-cpu": "2",
      "karpenter.k8s.aws/instance-cpu-manufacturer": "intel",
      "karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz": "3100",
      "karpenter.k8s.aws/instance-memory": "8192",
      "karpenter.k8s.aws/instance-ebs-bandwidth": "4750",
      "karpenter.k8s.aws/instance-network-bandwidth": "750",
      "karpenter.k8s.aws/instance-hypervisor": "nitro",
      "karpenter.k8s.aws/instance-encryption-in-transit-supported": "false",
      "karpenter.k8s.aws/nitro-sandbox": "false",
      "karpenter.k8s.aws/instance-tenancy": "default",
    });
  });

  test("amounts as quantities, and the profile that it runs under", () => {
    const { capacity, allocatable, annotations } = facts("m5.large");
    expect(capacity).toEqual({
      cpu: "2",
      memory: "7577Mi",
      "ephemeral-storage": "20Gi",
      pods: "29",
      "vpc.amazonaws.com/pod-eni": "9",
    });
    expect(allocatable).toMatchObject({
      cpu: "1930m",
      memory: "6903Mi",
      "ephemeral-storage": "17Gi",
      pods: "29",
    });
    expect(annotations).toEqual({
      "karpenter.k8s.aws/ec2nodeclass-hash": expect.any(String),
      "karpenter.k8s.aws/ec2nodeclass-hash-version": "outrigger-1",
      "karpenter.k8s.aws/instance-profile-name": "profile-of-node-role",
    });
  });

  test("EFA counts only when the claim asked for it", () => {
    expect(facts("c5n.18xlarge").capacity).not.toHaveProperty("vpc.amazonaws.com/efa");
    expect(facts("c5n.18xlarge", { "vpc.amazonaws.com/efa": "1" }).capacity["vpc.amazonaws.com/efa"]).toBe("1");
  });

  test("a type that the catalogue does not know has its name and place, and no amounts", () => {
    const { labels, capacity } = facts("z99.large");
    expect(labels).toMatchObject({
      "node.kubernetes.io/instance-type": "z99.large",
      "topology.kubernetes.io/zone": "us-east-1b",
    });
    expect(capacity).toEqual({});
  });
});

describe("the partition of a placement group", () => {
  const nodeClass = resolvedClass({ placementGroupSelector: { name: "near" } });
  const label = "karpenter.k8s.aws/placement-group-partition";
  const world = (strategy: string) => {
    const found = { id: "pg-1", name: "near", strategy, partitions: 12 };
    const [query] = placementGroupQueries(nodeClass.spec);
    return snapshotOf({ nodeClasses: [nodeClass] }, { placementGroups: { [query?.key ?? ""]: [found] } });
  };
  const asked = claimOf({ requirements: [{ key: label, operator: "In", values: ["2", "10"] }] });
  const labelOf = (claim: NodeClaim, shown: Partial<Instance> = {}, strategy = "partition") =>
    ec2Provider.launched(world(strategy), claim, { ...instance("m5.large"), ...shown }).labels[label];

  test("is the one that was asked for, or the one that EC2 shows", () => {
    expect(labelOf(asked)).toBe("2");
    expect(labelOf(claimOf(), { partition: 7 })).toBe("7");
    expect(labelOf(asked, { partition: 10 })).toBe("10");
    expect(labelOf(claimOf())).toBeUndefined();
    expect(labelOf(claimOf(), { partition: 7 }, "spread")).toBeUndefined();
  });

  test("keeps the node from being registered until its number is on the claim", () => {
    const obstacle = (claim: NodeClaim, strategy = "partition") =>
      ec2Provider.registrationObstacle?.(world(strategy), claim);
    expect(obstacle(claimOf())).toContain("which partition of placement group near");
    expect(obstacle(claimOf({}, { [label]: "7" }))).toBeUndefined();
    expect(obstacle(claimOf(), "spread")).toBeUndefined();
    const plain = snapshotOf({ nodeClasses: [resolvedClass()] });
    expect(ec2Provider.registrationObstacle?.(plain, claimOf())).toBeUndefined();
  });
});
