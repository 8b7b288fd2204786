import { describe, expect, test } from "vitest";
import type { InstanceType } from "#core/instance-type.ts";
import type { Snapshot } from "#core/snapshot.ts";
import {
  nodePool,
  pendingPod,
  pendingPods,
  snapshotOf,
  testProvider,
} from "../../../test/support/scheduling-objects.ts";
import { type Plan, planProvisioning } from "./plan.ts";

const plan = (snapshot: Snapshot<readonly InstanceType[]>): Plan => planProvisioning(snapshot, testProvider);
const messages = (result: Plan): readonly string[] => result.unschedulable.map(({ message }) => message);

describe("NodePools", () => {
  test("the heavier comes first, equal weights by name, descending", () => {
    const pools = [nodePool("a", { weight: 5 }), nodePool("b", { weight: 10 }), nodePool("c", { weight: 10 })];
    const result = plan(snapshotOf({ pods: [pendingPod("p", { cpu: "1" })], nodePools: pools }));
    expect(result.claims[0]?.planned.nodePool.metadata.name).toBe("c");
  });

  test("one that is not ready, not ours or fixed in number gets no claims, and says so", () => {
    const pools = [
      nodePool("auto-mode", { group: "other.dev", weight: 9 }),
      nodePool("fixed", { replicas: 3, weight: 8 }),
      nodePool("unready", { ready: false, weight: 7 }),
    ];
    const result = plan(snapshotOf({ pods: [pendingPod("p", { cpu: "1" })], nodePools: pools }));
    expect(result.claims).toEqual([]);
    expect(result.reasons.map(({ about, code, event }) => [about.name, code, event?.reason])).toEqual([
      ["auto-mode", "not-supported", "NotSupportedYet"],
      ["fixed", "not-supported", "NotSupportedYet"],
      ["unready", "pool-not-ready", undefined],
    ]);
    expect(messages(result)).toEqual(["no NodePool is ready to make nodes"]);
  });

  test("one whose requirements leave no instance type says so once", () => {
    const requirements = [{ key: "kubernetes.io/arch", operator: "In" as const, values: ["arm64"] }];
    const pods = pendingPods(3, "p", { cpu: "1" });
    const result = plan(snapshotOf({ pods, nodePools: [nodePool("arm", { requirements })] }));
    expect(result.reasons.map(({ event }) => event?.reason)).toEqual(["NoCompatibleInstanceTypes"]);
  });
});
