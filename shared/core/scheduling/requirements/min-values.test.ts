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
} from "../../../../test/support/scheduling-objects.ts";
import { type Plan, planProvisioning } from "../../provisioning/plan.ts";

const plan = (snapshot: Snapshot<readonly InstanceType[]>): Plan => planProvisioning(snapshot, testProvider);
const typesOf = (claim: NodeClaim): readonly string[] =>
  claim.spec.requirements.find(({ key }) => key === "node.kubernetes.io/instance-type")?.values ?? [];
const firstClaim = (result: Plan): NodeClaim | undefined => result.claims[0]?.nodeClaim;
const messages = (result: Plan): readonly string[] => result.unschedulable.map(({ message }) => message);

describe("minValues", () => {
  const families = ["x", "y", "z"].map((name, i) =>
    instanceType(`fam-${name}`, 4 * (i + 1), {}, [{ key: "example.dev/family", operator: "In", values: [name] }]),
  );
  const requirements = [{ key: "example.dev/family", operator: "Exists" as const, minValues: 3 }];

  test("Strict: pods are added as long as enough values stay", () => {
    const result = plan(
      snapshotOf(
        { pods: pendingPods(4, "p", { cpu: "1500m" }), nodePools: [nodePool("default", { requirements })] },
        families,
      ),
    );
    expect(result.claims.map(({ planned }) => planned.pods.length)).toEqual([2, 2]);
    expect(result.claims.map(({ nodeClaim }) => typesOf(nodeClaim).length)).toEqual([3, 3]);
  });

  test("Strict: a pod that leaves too few values gets no node, with the numbers", () => {
    const nodeSelector = { "example.dev/family": "y" };
    const result = plan(
      snapshotOf(
        { pods: [pendingPod("p", { cpu: "1" }, { nodeSelector })], nodePools: [nodePool("default", { requirements })] },
        families,
      ),
    );
    expect(result.claims).toEqual([]);
    expect(messages(result)).toEqual([
      "NodePool default: minValues of example.dev/family wants 3 different values, 1 are left",
    ]);
  });

  test("BestEffort: the claim asks for as many as there are, and says so", () => {
    const nodeSelector = { "example.dev/family": "y" };
    const snapshot = snapshotOf(
      { pods: [pendingPod("p", { cpu: "1" }, { nodeSelector })], nodePools: [nodePool("default", { requirements })] },
      families,
      { minValuesPolicy: "BestEffort" },
    );
    const claim = firstClaim(plan(snapshot));
    expect(claim?.metadata.annotations).toMatchObject({ "karpenter.sh/nodeclaim-min-values-relaxed": "true" });
    expect(claim?.spec.requirements).toContainEqual({
      key: "example.dev/family",
      operator: "In",
      values: ["y"],
      minValues: 1,
    });
  });

  test("values that the pod's zone leaves are counted after it narrowed them", () => {
    const zoned = [
      { key: "topology.kubernetes.io/zone", operator: "In" as const, values: ["zone-b", "zone-c"], minValues: 2 },
    ];
    const nodeSelector = { "topology.kubernetes.io/zone": "zone-b" };
    const result = plan(
      snapshotOf({
        pods: [pendingPod("p", { cpu: "1" }, { nodeSelector })],
        nodePools: [nodePool("default", { requirements: zoned })],
      }),
    );
    expect(result.claims).toEqual([]);
    expect(result.unschedulable).toHaveLength(1);
  });
});
