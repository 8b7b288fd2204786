import { describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { InstanceType } from "#core/instance-type.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { nodePool, pendingPod, sizes, snapshotOf, testProvider } from "../../../test/support/scheduling-objects.ts";
import { type Plan, planProvisioning } from "../provisioning/plan.ts";

const plan = (snapshot: Snapshot<readonly InstanceType[]>): Plan => planProvisioning(snapshot, testProvider);
const valuesOf = (claim: NodeClaim | undefined, key: string): readonly string[] | undefined =>
  claim?.spec.requirements.find((requirement) => requirement.key === key)?.values;
const firstClaim = (result: Plan): NodeClaim | undefined => result.claims[0]?.nodeClaim;

describe("preferences", () => {
  const prefers = (key: string, value: string, weight = 1) => ({
    weight,
    preference: { matchExpressions: [{ key, operator: "In" as const, values: [value] }] },
  });
  const preferring = (...terms: ReturnType<typeof prefers>[]) => ({
    affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: terms } },
  });

  test("the heaviest that can be met is met", () => {
    const spec = preferring(
      prefers("topology.kubernetes.io/zone", "zone-b", 1),
      prefers("topology.kubernetes.io/zone", "zone-x", 50),
    );
    const claim = firstClaim(
      plan(snapshotOf({ pods: [pendingPod("p", { cpu: "1" }, spec)], nodePools: [nodePool("default")] })),
    );
    expect(valuesOf(claim, "topology.kubernetes.io/zone")).toEqual(["zone-b"]);
  });

  test("one that contradicts the pod's own rule is given up, not read as the label's absence", () => {
    const spec = {
      ...preferring(prefers("topology.kubernetes.io/zone", "zone-b")),
      nodeSelector: { "topology.kubernetes.io/zone": "zone-a" },
    };
    const claim = firstClaim(
      plan(snapshotOf({ pods: [pendingPod("p", { cpu: "1" }, spec)], nodePools: [nodePool("default")] })),
    );
    expect(valuesOf(claim, "topology.kubernetes.io/zone")).toEqual(["zone-a"]);
  });

  test("Ignore looks at none of them", () => {
    const pods = [pendingPod("p", { cpu: "1" }, preferring(prefers("topology.kubernetes.io/zone", "zone-b")))];
    const claim = firstClaim(
      plan(snapshotOf({ pods, nodePools: [nodePool("default")] }, sizes, { preferencePolicy: "Ignore" })),
    );
    expect(valuesOf(claim, "topology.kubernetes.io/zone")).toBeUndefined();
  });

  test("a PreferNoSchedule taint is tolerated last", () => {
    const soft = [{ key: "soft", effect: "PreferNoSchedule" as const }];
    const pods = [pendingPod("p", { cpu: "1" })];
    const pools = [nodePool("soft", { taints: soft, weight: 50 }), nodePool("plain")];
    expect(plan(snapshotOf({ pods, nodePools: pools })).claims[0]?.planned.nodePool.metadata.name).toBe("plain");
    expect(plan(snapshotOf({ pods, nodePools: pools.slice(0, 1) })).claims).toHaveLength(1);
  });

  test("the order of OR-ed terms does not matter, and the cheaper one wins on a new node", () => {
    const term = (value: string) => ({
      matchExpressions: [{ key: "karpenter.sh/capacity-type", operator: "In" as const, values: [value] }],
    });
    const withTerms = (...values: string[]) =>
      firstClaim(
        plan(
          snapshotOf({
            pods: [
              pendingPod(
                "p",
                { cpu: "1" },
                {
                  affinity: {
                    nodeAffinity: {
                      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: values.map(term) },
                    },
                  },
                },
              ),
            ],
            nodePools: [nodePool("default")],
          }),
        ),
      );
    expect(withTerms("on-demand", "spot")).toEqual(withTerms("spot", "on-demand"));
    expect(valuesOf(withTerms("on-demand", "spot"), "karpenter.sh/capacity-type")).toEqual(["spot"]);
  });
});
