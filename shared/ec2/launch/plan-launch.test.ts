import { describe, expect, test } from "vitest";
import { ec2Group, ec2NodeClassKind } from "#api/ec2-v1/ec2nodeclass.ts";
import type { LaunchInstance } from "#core/command.ts";
import { stateAfter } from "#core/state/state-patch.ts";
import { markUnavailable } from "#core/state/unavailable-offerings.ts";
import { claimOf, nodeClassOf, nowMs, resolvedClass, snapshotOf } from "../../../test/support/ec2-world.ts";
import { capacityType, launchOf, plan, types } from "../../../test/support/launch-plans.ts";
import { ec2Provider } from "../provider.ts";

const typesIn = ({ options }: LaunchInstance) => [...new Set(options.map(({ instanceType }) => instanceType))];

describe("which instances are asked for", () => {
  test("spot before on-demand, cheapest first, each zone through its subnet with most free addresses", () => {
    const launch = launchOf({ requirements: [types("m5.large"), capacityType("spot", "on-demand")] });
    expect(launch.capacityType).toBe("spot");
    expect(launch.options.map(({ zone, subnetId }) => `${zone} ${subnetId}`)).toEqual([
      "us-east-1a subnet-1a",
      "us-east-1b subnet-0b",
    ]);
    const prices = launch.options.map(({ pricePerHour }) => pricePerHour);
    expect(prices).toEqual([...prices].sort((a, b) => a - b));
  });

  test("on-demand when the claim wants it, or when no spot can be had", () => {
    expect(launchOf({ requirements: [types("m5.large"), capacityType("on-demand")] }).capacityType).toBe("on-demand");
    const offerings = ["us-east-1a", "us-east-1b"].map((zone) => ({
      instanceType: "m5.large",
      zone,
      capacityType: "spot",
    }));
    const state = stateAfter({}, markUnavailable({}, offerings, nowMs));
    const launch = launchOf({ requirements: [types("m5.large"), capacityType("spot", "on-demand")] }, { state });
    expect(launch.capacityType).toBe("on-demand");
  });

  test("only types with room for the requests", () => {
    const requests = { cpu: "3500m", memory: "12Gi" };
    const requirements = [types("m5.large", "m5.xlarge", "c5.xlarge", "r5.xlarge")];
    expect(typesIn(launchOf({ requirements, resources: { requests } })).sort()).toEqual(["m5.xlarge", "r5.xlarge"]);
  });

  test("labels of the machine, its zone and its zone id are honoured together", () => {
    const launch = launchOf({
      requirements: [
        { key: "karpenter.k8s.aws/instance-category", operator: "In", values: ["c", "m"] },
        { key: "karpenter.k8s.aws/instance-generation", operator: "Gt", values: ["6"] },
        { key: "karpenter.k8s.aws/instance-cpu", operator: "Lt", values: ["5"] },
        { key: "topology.k8s.aws/zone-id", operator: "In", values: ["use1-az2"] },
        { key: "kubernetes.io/arch", operator: "In", values: ["arm64"] },
      ],
    });
    expect(new Set(launch.options.map(({ zone }) => zone))).toEqual(new Set(["us-east-1b"]));
    for (const name of typesIn(launch)) expect(name).toMatch(/^[cm][78]g[dn]?\.(medium|large|xlarge)$/);
  });

  test("machines with devices and bare metal only when nothing else is left", () => {
    const generic = launchOf({ requirements: [types("g4dn.xlarge", "m5.xlarge", "m5.metal", "inf2.xlarge")] });
    expect(typesIn(generic)).toEqual(["m5.xlarge"]);
    const requests = { "nvidia.com/gpu": "1" };
    expect(typesIn(launchOf({ requirements: [], resources: { requests } }))).toContain("g4dn.xlarge");
    const metal = { key: "karpenter.k8s.aws/instance-size", operator: "In" as const, values: ["metal"] };
    expect(typesIn(launchOf({ requirements: [metal] }))).toContain("m5.metal");
  });

  test("spot that costs more than the cheapest on-demand is dropped when both are allowed", () => {
    const both = launchOf({ requirements: [types("t3.large", "r5.24xlarge"), capacityType("spot", "on-demand")] });
    expect(typesIn(both)).toEqual(["t3.large"]);
    const spot = launchOf({ requirements: [types("t3.large", "r5.24xlarge"), capacityType("spot")] });
    expect(typesIn(spot)).toEqual(["t3.large", "r5.24xlarge"]);
  });

  test("the sixty cheapest types", () => {
    const launch = launchOf({ requirements: [capacityType("on-demand")] });
    expect(typesIn(launch)).toHaveLength(60);
    expect(launch.options[0]).toMatchObject({ instanceType: "t4g.nano", pricePerHour: 0.0042 });
  });

  test("minValues keep dear and exotic types, and fail when the sixty cheapest cannot meet them", () => {
    const requirements = [{ ...types("m5.large", "m5.metal", "g4dn.xlarge"), minValues: 3 }];
    expect(typesIn(launchOf({ requirements }))).toHaveLength(3);
    expect(plan({ requirements: [{ ...types("m5.large", "c5.large"), minValues: 3 }] })).toEqual({
      kind: "insufficient-capacity",
      message: "minValues 3 of node.kubernetes.io/instance-type cannot be met: 2 of its values can be launched now",
    });
    const family = { key: "karpenter.k8s.aws/instance-family", operator: "Exists" as const, minValues: 50 };
    expect(plan({ requirements: [family, capacityType("on-demand")] }).kind).toBe("insufficient-capacity");
  });

  test("nothing that can be had is said so, for the claim to be placed anew", () => {
    expect(plan({ requirements: [types("none.large")] }).kind).toBe("insufficient-capacity");
    expect(plan({ requirements: [], resources: { requests: { cpu: "100000" } } }).kind).toBe("insufficient-capacity");
  });
});

describe("the class decides whether a claim can be launched", () => {
  const nodeClassRef = { group: ec2Group, kind: ec2NodeClassKind, name: "default" };
  const deleting = {
    ...resolvedClass(),
    metadata: { ...resolvedClass().metadata, deletionTimestamp: "2026-11-30T12:00:00Z" },
  };
  const changed = { ...resolvedClass(), metadata: { ...resolvedClass().metadata, generation: 2 } };

  test.each([
    ["missing", [], "insufficient-capacity", "EC2NodeClass default does not exist"],
    ["being deleted", [deleting], "insufficient-capacity", "EC2NodeClass default is being deleted"],
    ["not looked at", [nodeClassOf()], "not-ready", "EC2NodeClass default was not looked at yet"],
    [
      "changed since",
      [changed],
      "not-ready",
      "EC2NodeClass default changed and was not looked at since (generation 2)",
    ],
    [
      "failed",
      [resolvedClass({ placementGroupSelector: { name: "x" } })],
      "not-ready",
      "EC2NodeClass default is not ready: PlacementGroupReady=False",
    ],
  ])("%s", (_, nodeClasses, kind, message) =>
    expect(ec2Provider.planLaunch(snapshotOf({ nodeClasses }), claimOf({ nodeClassRef }), 1)).toEqual({
      kind,
      message,
    }),
  );
});

describe("the request", () => {
  const claim = { requirements: [types("m5.large"), capacityType("spot")] };

  test("its token is made of the claim's uid and the attempt, and the same world gives the same plan", () => {
    const launch = launchOf(claim);
    expect(launch.token).toBe("11111111-2222-3333-4444-555555555555-1");
    expect(launch.token.length).toBeLessThanOrEqual(64);
    expect(plan(claim)).toEqual(plan(claim));
  });

  test("instances are tagged with claim, pool, class, cluster and its identity; the user's tags come along", () => {
    const { tags } = launchOf(claim, { nodeClass: { tags: { team: "a" } } });
    expect(tags).toEqual({
      team: "a",
      "eks:eks-cluster-name": "demo",
      "kubernetes.io/cluster/demo": "owned",
      "karpenter.sh/nodepool": "default",
      "karpenter.k8s.aws/ec2nodeclass": "default",
      "karpenter.sh/nodeclaim": "default-abcde",
      "outrigger.dev/nodeclaim-uid": "11111111-2222-3333-4444-555555555555",
      "outrigger.dev/cluster": "arn:demo@1",
    });
  });
});
