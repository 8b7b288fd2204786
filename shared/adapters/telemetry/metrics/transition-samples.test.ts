import { expect, test } from "vitest";
import type { Step } from "#core/outcome.ts";
import { claimOf, nodeOf, nowMs, statusOf } from "../../../../test/support/lifecycle-samples.ts";
import { SmallWorld } from "../../../../test/support/small-world.ts";
import { allGauges } from "./all-gauges.ts";
import { transitionSamples } from "./transition-samples.ts";

const at = "2026-01-01T00:00:00Z";

test("conditions that a tick changed are counted, and a drained node by its pool", async () => {
  const labels = { "karpenter.sh/nodepool": "pool" };
  const world = new SmallWorld(nowMs, { nodeClaims: [claimOf("a", { labels, status: statusOf("a", "initialized") })] });
  const snapshot = await world.snapshot();
  const patch = (kind: "done" | "failed"): Step => ({
    stage: "termination",
    command: {
      kind: "patch-status",
      target: { kind: "NodeClaim", name: "a" },
      status: {
        conditions: [
          { type: "Drained", status: "True", reason: "Drained", message: "", lastTransitionTime: at },
          { type: "Launched", status: "True", reason: "Launched", message: "", lastTransitionTime: at },
        ],
      },
    },
    outcome: kind === "done" ? { kind } : { kind, fault: { kind: "conflict", code: "409", message: "" } },
  });
  const report = { snapshot, decisions: [], changed: true, phases: [] };
  expect(transitionSamples({ ...report, steps: [patch("done")] })).toEqual([
    {
      name: "operator_nodeclaim_status_condition_transitions_total",
      labels: { type: "Drained", status: "True", reason: "Drained" },
      value: 1,
    },
    { name: "karpenter_nodes_drained_total", labels: { nodepool: "pool" }, value: 1 },
  ]);
  expect(transitionSamples({ ...report, steps: [patch("failed")] })).toEqual([]);
});

test("how long a condition was as it had been is observed by what it was", async () => {
  const status = statusOf("a", "initialized");
  const conditions = (status.conditions ?? []).map((one) => ({
    ...one,
    lastTransitionTime: new Date(nowMs - 40_000).toISOString(),
  }));
  const world = new SmallWorld(nowMs, { nodeClaims: [claimOf("a", { status: { ...status, conditions } })] });
  const step: Step = {
    stage: "lifecycle",
    command: {
      kind: "patch-status",
      target: { kind: "NodeClaim", name: "a" },
      status: {
        conditions: [{ type: "Initialized", status: "False", reason: "x", message: "", lastTransitionTime: at }],
      },
    },
    outcome: { kind: "done" },
  };
  const report = { snapshot: await world.snapshot(), decisions: [], changed: true, phases: [], steps: [step] };
  expect(transitionSamples(report)).toContainEqual({
    name: "operator_nodeclaim_status_condition_transition_seconds",
    labels: { type: "Initialized", status: "True" },
    value: 40,
  });
});

test("how long objects have been on their way out is a gauge, and that each look is whole", async () => {
  const world = new SmallWorld(nowMs, {
    nodeClaims: [
      claimOf("a", { status: statusOf("a", "initialized"), deletionTimestamp: new Date(nowMs - 90_000).toISOString() }),
    ],
    nodes: [nodeOf("a")],
  });
  const report = { snapshot: await world.snapshot(), decisions: [], steps: [], changed: false, phases: [] };
  const values = new Map(allGauges(report, "").map(({ name, value }) => [name, value]));
  expect(values.get("operator_nodeclaim_termination_current_time_seconds")).toBe(90);
  expect(values.get("karpenter_cluster_state_unsynced_time_seconds")).toBe(0);
});
