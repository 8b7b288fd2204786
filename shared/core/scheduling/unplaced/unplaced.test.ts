import { describe, expect, test } from "vitest";
import type { InstanceType } from "#core/instance-type.ts";
import type { Snapshot } from "#core/snapshot.ts";
import {
  daemonSet,
  instanceType,
  nodePool,
  pendingPod,
  snapshotOf,
  testProvider,
} from "../../../../test/support/scheduling-objects.ts";
import { type Plan, planProvisioning } from "../../provisioning/plan.ts";

const plan = (snapshot: Snapshot<readonly InstanceType[]>): Plan => planProvisioning(snapshot, testProvider);
const messages = (result: Plan): readonly string[] => result.unschedulable.map(({ message }) => message);

describe("pods without a place", () => {
  const refusal = (
    spec: Parameters<typeof pendingPod>[2],
    requests: Readonly<Record<string, string>> = { cpu: "1" },
    more: Parameters<typeof snapshotOf>[0] = {},
  ): string | undefined =>
    messages(
      plan(snapshotOf({ pods: [pendingPod("p", requests, spec)], nodePools: [nodePool("default")], ...more })),
    )[0];

  test("one that is too big hears by how much", () => {
    expect(refusal({}, { cpu: "70" }, { daemonSets: [daemonSet("agent", { cpu: "500m" })] })).toBe(
      "NodePool default: cpu 70 is wanted, the closest of 7 instance types (size-64) has room for 63.4 beside 0.5 for daemons: 6.6 short",
    );
  });

  test("one that asks for a resource that no type has hears which", () => {
    expect(refusal({}, { cpu: "1", "example.com/gpu": "2" })).toBe(
      "NodePool default: example.com/gpu 2 is wanted, and none of 7 instance types has any",
    );
  });

  test("one that asks for what no type is, hears what", () => {
    expect(refusal({ nodeSelector: { "kubernetes.io/arch": "arm64" } })).toBe(
      "NodePool default: none of its 7 instance types has kubernetes.io/arch in [arm64]",
    );
    expect(refusal({ nodeSelector: { team: "red" } })).toBe(
      "NodePool default: the pod wants team in [red], the label is not there",
    );
  });

  test("one that has no available offering hears which", () => {
    const offerings = [{ zone: "zone-a", capacityType: "spot", pricePerHour: 1, available: false }];
    const snapshot = snapshotOf({ pods: [pendingPod("p", { cpu: "1" })], nodePools: [nodePool("default")] }, [
      instanceType("gone", 4, { offerings }),
    ]);
    expect(messages(plan(snapshot))).toEqual([
      "NodePool default: 1 instance types fit, but none has an available offering",
    ]);
  });

  test.each<[string, Parameters<typeof pendingPod>[2], RegExp]>([
    ["a restricted label", { nodeSelector: { "kubernetes.io/hostname": "x" } }, /restricted/],
    ["a restricted domain", { nodeSelector: { "karpenter.sh/anything": "x" } }, /restricted/],
    ["devices", { resourceClaims: [{ name: "gpu" }] }, /resourceClaims\), which is not supported yet/],
  ])("%s is refused in words", (_, spec, words) => {
    expect(refusal(spec)).toMatch(words);
  });

  test("one that no NodePool shall make nodes for is left in silence", () => {
    const terms = [{ matchExpressions: [{ key: "karpenter.sh/nodepool", operator: "DoesNotExist" as const }] }];
    const spec = {
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
    };
    const result = plan(snapshotOf({ pods: [pendingPod("p", { cpu: "1" }, spec)], nodePools: [nodePool("default")] }));
    expect([result.claims, result.unschedulable]).toEqual([[], []]);
  });

  test("however many NodePools there are, the message stays short", () => {
    const pools = Array.from({ length: 40 }, (_, i) => nodePool(`pool-${"x".repeat(50)}-${i}`));
    const message = refusal({ nodeSelector: { team: "y".repeat(63) } }, { cpu: "1" }, { nodePools: pools });
    expect(message?.length).toBeLessThanOrEqual(1_000);
    expect(message).toContain("35 more NodePools");
  });
});
