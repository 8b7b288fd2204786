import { describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { InstanceType } from "#core/instance-type.ts";
import type { Snapshot } from "#core/snapshot.ts";
import {
  instanceType,
  nodePool,
  pendingPod,
  pendingPods,
  snapshotOf,
  testProvider,
} from "../../../test/support/scheduling-objects.ts";
import { type Plan, planProvisioning } from "./plan.ts";

const plan = (snapshot: Snapshot<readonly InstanceType[]>): Plan => planProvisioning(snapshot, testProvider);
const typesOf = (claim: NodeClaim): readonly string[] =>
  claim.spec.requirements.find(({ key }) => key === "node.kubernetes.io/instance-type")?.values ?? [];
const valuesOf = (claim: NodeClaim | undefined, key: string): readonly string[] | undefined =>
  claim?.spec.requirements.find((requirement) => requirement.key === key)?.values;
const firstClaim = (result: Plan): NodeClaim | undefined => result.claims[0]?.nodeClaim;
const messages = (result: Plan): readonly string[] => result.unschedulable.map(({ message }) => message);

describe("new claims", () => {
  test("pods that go pending together get one claim, cheapest type first", () => {
    const result = plan(snapshotOf({ pods: pendingPods(15, "p", { cpu: "500m" }), nodePools: [nodePool("default")] }));
    expect(result.claims).toHaveLength(1);
    const claim = firstClaim(result);
    expect(claim === undefined ? [] : typesOf(claim)).toEqual(["size-8", "size-16", "size-32", "size-64"]);
    expect(valuesOf(claim, "karpenter.sh/capacity-type")).toEqual(["on-demand", "spot"]);
    expect(claim?.spec.resources?.requests).toEqual({ cpu: "7500m", pods: "15" });
  });

  test("a claim carries what users and the launch need", () => {
    const pool = nodePool("web", {
      labels: { team: "red" },
      taints: [{ key: "web", value: "true", effect: "NoSchedule" }],
      startupTaints: [{ key: "cni", effect: "NoExecute" }],
    });
    const tolerations = [{ key: "web", operator: "Exists" as const }];
    const pods = [pendingPod("p", { cpu: "1" }, { tolerations, nodeSelector: { team: "red" } })];
    const claim = firstClaim(plan(snapshotOf({ pods, nodePools: [pool] })));
    expect(claim?.metadata.name).toMatch(/^web-[0-9a-z]{8}$/);
    expect(claim?.metadata.labels).toEqual({
      team: "red",
      "karpenter.sh/nodepool": "web",
      "example.dev/testclass": "default",
    });
    expect(claim?.metadata.finalizers).toEqual(["karpenter.sh/termination"]);
    expect(claim?.metadata.ownerReferences).toEqual([
      { apiVersion: "karpenter.sh/v1", kind: "NodePool", name: "web", uid: "uid-web", blockOwnerDeletion: true },
    ]);
    expect(claim?.metadata.annotations).toMatchObject({
      "karpenter.sh/nodepool-hash-version": "v3",
      "karpenter.sh/nodeclaim-min-values-relaxed": "false",
      "outrigger.dev/decision": "tick-1/0",
    });
    expect(claim?.spec.taints).toEqual(pool.spec.template.spec.taints);
    expect(claim?.spec.startupTaints).toEqual(pool.spec.template.spec.startupTaints);
    expect(claim?.spec.expireAfter).toBe("720h");
  });

  test("the same decision makes the same claims", () => {
    const snapshot = snapshotOf({ pods: pendingPods(3, "p", { cpu: "40" }), nodePools: [nodePool("default")] });
    expect(plan(snapshot)).toEqual(plan(snapshot));
    const other = { ...snapshot, decisionId: "tick-2" };
    expect(firstClaim(plan(other))?.metadata.name).not.toBe(firstClaim(plan(snapshot))?.metadata.name);
  });

  test("types without an available offering in the pod's zone and capacity type together are not named", () => {
    const half = instanceType("half", 2, {
      offerings: [
        { zone: "zone-a", capacityType: "spot", pricePerHour: 0.01, available: true },
        { zone: "zone-b", capacityType: "on-demand", pricePerHour: 0.1, available: true },
        { zone: "zone-b", capacityType: "spot", pricePerHour: 0.01, available: false },
      ],
    });
    const nodeSelector = { "topology.kubernetes.io/zone": "zone-b", "karpenter.sh/capacity-type": "spot" };
    const pods = [pendingPod("p", { cpu: "1" }, { nodeSelector })];
    const result = plan(snapshotOf({ pods, nodePools: [nodePool("default")] }, [half, instanceType("whole", 4)]));
    const claim = firstClaim(result);
    expect(claim === undefined ? [] : typesOf(claim)).toEqual(["whole"]);
    expect(valuesOf(claim, "karpenter.sh/capacity-type")).toEqual(["spot"]);
  });

  test("a cluster without nodes can start: labels and taints come from the NodePool", () => {
    const pool = nodePool("custom", {
      requirements: [{ key: "team", operator: "In", values: ["blue", "red"] }],
      taints: [{ key: "t", effect: "NoSchedule" }],
    });
    const tolerations = [{ key: "t", operator: "Exists" as const }];
    const fits = pendingPod("fits", { cpu: "1" }, { tolerations, nodeSelector: { team: "red" } });
    const tainted = pendingPod("tainted", { cpu: "1" });
    const result = plan(snapshotOf({ pods: [fits, tainted], nodePools: [pool] }));
    expect(firstClaim(result)?.metadata.labels).toMatchObject({ team: "red" });
    expect(messages(result)).toEqual(["NodePool custom: the pod does not tolerate its taint t:NoSchedule"]);
  });

  test("custom labels without a single value get the first, or the lowest integer", () => {
    const requirements = [
      { key: "a", operator: "In" as const, values: ["y", "x"] },
      { key: "b", operator: "Gt" as const, values: ["4"] },
      { key: "c", operator: "Exists" as const },
      { key: "d", operator: "NotIn" as const, values: ["z"] },
    ];
    const pods = [pendingPod("p", { cpu: "1" })];
    const claim = firstClaim(plan(snapshotOf({ pods, nodePools: [nodePool("default", { requirements })] })));
    expect(claim?.metadata.labels).toMatchObject({ a: "x", b: "5", c: "0" });
    expect(claim?.metadata.labels).not.toHaveProperty("d");
    expect(claim?.spec.requirements).toContainEqual({ key: "b", operator: "Gt", values: ["4"] });
  });
});
