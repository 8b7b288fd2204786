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
  stored,
  testProvider,
} from "../../../../test/support/scheduling-objects.ts";
import { type Plan, planProvisioning } from "../../provisioning/plan.ts";

const plan = (snapshot: Snapshot<readonly InstanceType[]>): Plan => planProvisioning(snapshot, testProvider);
const typesOf = (claim: NodeClaim): readonly string[] =>
  claim.spec.requirements.find(({ key }) => key === "node.kubernetes.io/instance-type")?.values ?? [];
const firstClaim = (result: Plan): NodeClaim | undefined => result.claims[0]?.nodeClaim;
const messages = (result: Plan): readonly string[] => result.unschedulable.map(({ message }) => message);

describe("limits", () => {
  const requestingAll = (limits: Readonly<Record<string, string>>, count = 4): Plan =>
    plan(
      snapshotOf({ pods: pendingPods(count, "p", { cpu: "6" }), nodePools: [nodePool("default", { limits })] }, [
        instanceType("eight", 8),
      ]),
    );

  test.each([
    [{ cpu: "16" }, 2],
    [{ cpu: "15" }, 1],
    [{ memory: "32Gi" }, 2],
    [{ nodes: "3" }, 3],
    [{ nodes: "0" }, 0],
    [{ cpu: "-1" }, 0],
    [{ cpu: "0" }, 0],
    [{ cpu: "1e3" }, 4],
    [{ "example.dev/unknown": "1" }, 4],
  ])("%j allows %i claims in one batch", (limits, claims) => {
    expect(requestingAll(limits).claims).toHaveLength(claims);
  });

  test("claims that exist count, launched or not", () => {
    const first = plan(
      snapshotOf({ pods: [pendingPod("p", { cpu: "6" })], nodePools: [nodePool("default")] }, [
        instanceType("eight", 8),
      ]),
    );
    const claim = firstClaim(first);
    const nodeClaims = claim === undefined ? [] : [stored(claim)];
    const pods = pendingPods(2, "p", { cpu: "6" });
    const result = plan(
      snapshotOf({ pods, nodeClaims, nodePools: [nodePool("default", { limits: { cpu: "8" } })] }, [
        instanceType("eight", 8),
      ]),
    );
    expect(result.claims).toEqual([]);
    expect(result.placements.map(({ node: { name }, pods: { length } }) => [name, length])).toEqual([
      [claim?.metadata.name, 1],
    ]);
    expect(messages(result)).toEqual([
      "NodePool default: its limit is reached: cpu (0 of 8 left, the smallest fitting type takes 8); " +
        "existing nodes: 1 without room (cpu: 6 wanted, at most 1.9 free)",
    ]);
    expect(result.reasons.map(({ code }) => code)).toEqual(["pool-limit"]);
  });

  test("types beyond the limit are not named", () => {
    const result = plan(
      snapshotOf({ pods: [pendingPod("p", { cpu: "1" })], nodePools: [nodePool("default", { limits: { cpu: "4" } })] }),
    );
    const claim = firstClaim(result);
    expect(claim === undefined ? [] : typesOf(claim)).toEqual(["size-2", "size-4"]);
  });
});
