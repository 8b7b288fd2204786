import { describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
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
const typesOf = (claim: NodeClaim): readonly string[] =>
  claim.spec.requirements.find(({ key }) => key === "node.kubernetes.io/instance-type")?.values ?? [];
const firstClaim = (result: Plan): NodeClaim | undefined => result.claims[0]?.nodeClaim;

describe("daemons", () => {
  const selecting = (label: string) => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: label, operator: "In" as const, values: ["true"] }] }],
        },
      },
    },
  });
  test.each([["karpenter.sh/registered"], ["karpenter.sh/initialized"]])(
    "a DaemonSet that selects %s counts on a new node",
    (label) => {
      const daemonSets = [daemonSet("agent", { cpu: "2" }, selecting(label))];
      const pods = [pendingPod("p", { cpu: "1" })];
      const claim = firstClaim(plan(snapshotOf({ pods, daemonSets, nodePools: [nodePool("default")] })));
      expect(claim?.spec.resources?.requests).toEqual({ cpu: "3", pods: "2" });
      expect(claim?.spec.requirements.map(({ key }) => key)).not.toContain(label);
    },
  );

  test("one that the pool's taints keep out does not count, one that selects other types counts on those", () => {
    const types = [
      instanceType("plain", 4),
      instanceType("wide", 8, {}, [{ key: "example.dev/family", operator: "In", values: ["wide"] }]),
    ];
    const daemonSets = [
      daemonSet("kept-out", { cpu: "3" }),
      daemonSet(
        "wide-only",
        { cpu: "6" },
        { nodeSelector: { "example.dev/family": "wide" }, tolerations: [{ operator: "Exists" }] },
      ),
    ];
    const pool = nodePool("default", { taints: [{ key: "t", effect: "NoSchedule" }] });
    const tolerations = [{ key: "t", operator: "Exists" as const }];
    const pods = [pendingPod("p", { cpu: "3" }, { tolerations })];
    const none = instanceType("plain", 4, {}, [{ key: "example.dev/family", operator: "DoesNotExist" }]);
    const claim = firstClaim(plan(snapshotOf({ pods, daemonSets, nodePools: [pool] }, [none, ...types.slice(1)])));
    expect(claim === undefined ? [] : typesOf(claim)).toEqual(["plain"]);
  });

  test("a daemon's own pod is never demand", () => {
    const daemon = pendingPod(
      "agent-x",
      { cpu: "1" },
      {},
      {
        ownerReferences: [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "agent", uid: "uid-agent" }],
      },
    );
    expect(plan(snapshotOf({ pods: [daemon], nodePools: [nodePool("default")] })).claims).toEqual([]);
  });
});
