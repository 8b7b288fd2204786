import { expect, test } from "vitest";
import { replacementAnnotations } from "#core/nodeclaim/replacement-record.ts";
import { refOf } from "#core/object-ref.ts";
import type { Reason } from "#core/reason.ts";
import type { TickReport } from "#ports/telemetry.ts";
import { claimOf, instanceOf, nodeOf, nowMs } from "../../../../test/support/lifecycle-samples.ts";
import { SmallWorld } from "../../../../test/support/small-world.ts";
import { tickSeries } from "./emf.ts";
import { tickSamples } from "./tick-samples.ts";

async function reportOf(reasons: readonly Reason[]): Promise<TickReport> {
  const snapshot = await new SmallWorld(nowMs, {}).snapshot();
  const decisions = [{ stage: "s", decision: { commands: [], reasons } }];
  return { snapshot, decisions, steps: [], changed: true, phases: [] };
}

test("a disruption is decided on once and ends each node once, however often it is told", async () => {
  const node = { kind: "Node", name: "node-a" } as const;
  const ending = { type: "Normal", reason: "DisruptionTerminating" } as const;
  const begun = { method: "multi", reason: "Underutilized", replacements: 1 };
  const disruption: readonly Reason[] = [
    { about: { kind: "NodeClaim", name: "a" }, code: "node-disrupted", message: "it goes", data: begun },
    { about: node, code: "node-disrupted", message: "it goes", data: begun },
    { about: node, code: "node-disrupted", message: "it ends", data: { reason: "Underutilized" }, event: ending },
    { about: node, code: "node-disrupted", message: "it ails", data: { reason: "Unhealthy" }, event: ending },
  ];
  const report = await reportOf(disruption);
  const name = "karpenter_voluntary_disruption_decisions_total";
  const labels = { decision: "replace", reason: "underutilized", consolidation_type: "multi" };
  expect(tickSamples(report).filter((sample) => sample.name === name)).toEqual([{ name, labels, value: 1 }]);
  expect(tickSeries(report).DisruptedNodes).toBe(2);
});

test("what is made, let go and not ended is counted where it is, and for the cause that it has", async () => {
  const replacement = claimOf("b", {
    labels: { "karpenter.sh/nodepool": "pool" },
    annotations: {
      "karpenter.sh/nodeclaim-min-values-relaxed": "true",
      ...replacementAnnotations({ reason: "Drifted", count: 1 }, ["a"]),
    },
  });
  const created: Reason = {
    about: { kind: "NodeClaim", name: "b" },
    code: "claim-created",
    message: "",
    data: { nodePool: "pool" },
  };
  const fault = { kind: "throttled", code: "RequestLimitExceeded", message: "" } as const;
  const node = nodeOf("a", { labels: { "karpenter.sh/nodepool": "pool", "topology.kubernetes.io/zone": "zone-a" } });
  const base = await reportOf([created]);
  const { cluster, cloud } = base.snapshot;
  const instances = [instanceOf("a")];
  const report: TickReport = {
    ...base,
    snapshot: { ...base.snapshot, cluster: { ...cluster, nodes: [node] }, cloud: { ...cloud, instances } },
    steps: [
      { stage: "s", command: { kind: "create-node-claim", nodeClaim: replacement }, outcome: { kind: "done" } },
      {
        stage: "s",
        command: { kind: "patch-metadata", target: refOf("Node", node), finalizers: [] },
        outcome: { kind: "done" },
      },
      {
        stage: "s",
        command: { kind: "terminate-instance", instanceId: instances[0]?.id ?? "" },
        outcome: { kind: "failed", fault },
      },
    ],
  };
  const place = { nodepool: "pool", zone: instances[0]?.zone };
  expect(tickSamples(report)).toEqual(
    expect.arrayContaining([
      {
        name: "karpenter_nodeclaims_created_total",
        labels: { reason: "drifted", nodepool: "pool", min_values_relaxed: "true" },
        value: 1,
      },
      { name: "karpenter_nodes_terminated_total", labels: place, value: 1 },
      {
        name: "karpenter_cloudprovider_instance_termination_failures_total",
        labels: { zone: instances[0]?.zone },
        value: 1,
      },
    ]),
  );
});
