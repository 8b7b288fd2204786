import { describe, expect, test } from "vitest";
import type { Reason } from "#core/reason.ts";
import type { TickReport } from "#ports/telemetry.ts";
import { claimOf, nodeOf, nowMs, poolOf, statusOf } from "../../../test/support/lifecycle-samples.ts";
import { SmallWorld } from "../../../test/support/small-world.ts";
import { batchSamples } from "./batch-telemetry.ts";
import { decisionEvents } from "./decision-events.ts";
import { emfLine, extraSamples, fixedSeries, tickSeries } from "./metrics/emf.ts";
import { metricTable } from "./metrics/metric-table.ts";
import { tickSamples } from "./metrics/tick-samples.ts";
import { type Log, logTick } from "./tick-log.ts";

const about = { kind: "NodeClaim", name: "a" } as const;
const reasons: readonly Reason[] = [
  { about, code: "claim-created", message: "for 1 pod", data: { nodePool: "pool" } },
  { about, code: "claim-launched", message: "Launched i-1", data: { instanceId: "i-1" } },
  { about, code: "claim-registered", message: "Registered" },
  { about, code: "claim-deleted", message: "Disrupted: Empty", data: { cause: "empty" } },
  { about, code: "node-kept", message: "Empty: it goes in 15 s" },
  { about: { kind: "Pod", name: "p", namespace: "n" }, code: "pod-unschedulable", message: "no room" },
];

async function reportWith(change: Partial<TickReport> = {}): Promise<TickReport> {
  const labels = { "karpenter.sh/nodepool": "pool", "topology.kubernetes.io/zone": "zone-a" };
  const world = new SmallWorld(nowMs, {
    nodePools: [poolOf()],
    nodeClaims: [claimOf("a", { labels, status: statusOf("a", "initialized") })],
    nodes: [nodeOf("a")],
  });
  return {
    snapshot: await world.snapshot(),
    decisions: [{ stage: "s", decision: { commands: [], reasons } }],
    steps: [],
    changed: true,
    phases: [
      { name: "look", durationMs: 70 },
      { name: "provisioning", durationMs: 30 },
    ],
    ...change,
  };
}

describe("metrics", () => {
  test("reasons become Karpenter's counters, phases its histograms", async () => {
    const samples = tickSamples(await reportWith());
    expect(samples).toContainEqual({
      name: "karpenter_nodeclaims_created_total",
      labels: { reason: "provisioned", nodepool: "pool", min_values_relaxed: "false" },
      value: 1,
    });
    expect(samples).toContainEqual({
      name: "karpenter_nodes_created_total",
      labels: { nodepool: "pool", zone: "zone-a" },
      value: 1,
    });
    expect(samples).toContainEqual(
      expect.objectContaining({ name: "karpenter_scheduler_scheduling_duration_seconds", value: 0.03 }),
    );
    const unknown = samples.filter(({ name }) => !Object.hasOwn(metricTable, name));
    expect(unknown).toEqual([]);
  });

  test("the fixed series are eight at most, and what is 0 is not written", async () => {
    expect(Object.keys(fixedSeries).length).toBeLessThanOrEqual(8);
    const report = await reportWith();
    const line = JSON.parse(emfLine(tickSeries(report), [], "blue", nowMs) ?? "");
    expect(line).toMatchObject({ Cluster: "blue", TickDurationMs: 100, NodeCount: 1, UnschedulablePods: 1 });
    expect(line).not.toHaveProperty("LaunchFailures");
    const [directive] = line._aws.CloudWatchMetrics;
    expect(directive.Metrics.map(({ Name }: { readonly Name: string }) => Name)).toEqual([
      "TickDurationMs",
      "NodeCount",
      "CostPerHour",
      "UnschedulablePods",
    ]);
  });

  test("pods that off-hours keep waiting are none of those that raise an alarm", async () => {
    const waiting: Reason = { about, code: "pod-unschedulable", message: "rests", data: { resting: true } };
    const decision = { commands: [], reasons: [...reasons, waiting] };
    expect(tickSeries(await reportWith({ decisions: [{ stage: "s", decision }] })).UnschedulablePods).toBe(1);
  });

  test("others are written when they are asked for by name, one series each", async () => {
    const extra = extraSamples(await reportWith(), ["karpenter_nodepools_usage", "karpenter_nothing_such"]);
    expect(new Set(extra.map(({ name }) => name))).toEqual(new Set(["karpenter_nodepools_usage"]));
    const line = JSON.parse(emfLine({}, extra, "blue", nowMs) ?? "");
    expect(line._aws.CloudWatchMetrics[0].Metrics).toHaveLength(1);
  });
});

test("decisions that matter become events, an interruption once", () => {
  const interrupted: readonly Reason[] = [
    { about, code: "claim-interrupted", message: "notice", data: { kind: "spot-interruption" } },
    { about: { kind: "Node", name: "n" }, code: "claim-interrupted", message: "notice" },
    {
      about,
      code: "claim-deleted",
      message: "Terminated because of it",
      event: { type: "Warning", reason: "TerminatingOnInterruption" },
    },
  ];
  const context = { cluster: "blue", decisionId: "d", atMs: 0 };
  const events = decisionEvents([...reasons, ...interrupted], context);
  expect(events.map(({ detailType }) => detailType)).toEqual(["launched", "registered", "disrupted", "interrupted"]);
  expect(events[0]?.detail).toEqual({
    cluster: "blue",
    nodeClaim: "a",
    message: "Launched i-1",
    instanceId: "i-1",
    decision: "d",
    time: "1970-01-01T00:00:00.000Z",
  });
});

test("a batch is counted in Karpenter's words", () => {
  const samples = batchSamples({ counts: { "spot-interruption": 2, foreign: 3 }, failed: ["m1"], agesMs: [1_500] });
  expect(samples.map(({ name, labels, value }) => [name.slice(23), labels.message_type, value])).toEqual([
    ["received_messages_total", "spot_interruption", 2],
    ["received_messages_total", "foreign", 3],
    ["message_queue_duration_seconds", undefined, 1.5],
    ["deleted_messages_total", undefined, 4],
  ]);
});

test("observations keep their percentiles in a line for CloudWatch, counters become one number", () => {
  const name = "karpenter_interruption_message_queue_duration_seconds";
  const received = "karpenter_interruption_received_messages_total";
  const more = [
    ...[1, 3].map((value) => ({ name, labels: {}, value })),
    ...["a", "b"].map((message_type) => ({ name: received, labels: { message_type }, value: 2 })),
  ];
  expect(JSON.parse(emfLine({}, more, "blue", 0) ?? "")).toMatchObject({ [name]: [1, 3], [received]: 4 });
});

describe("the log", () => {
  const written = (): { readonly log: Log; readonly lines: (readonly [string, string, unknown])[] } => {
    const lines: (readonly [string, string, unknown])[] = [];
    const at = (level: string) => (message: string, fields: unknown) => void lines.push([level, message, fields]);
    return { lines, log: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") } };
  };

  test("has a line with ids for what was done; what is only repeated is for debuggers", async () => {
    const { log, lines } = written();
    logTick(await reportWith(), log);
    expect(lines).toContainEqual([
      "info",
      "Launched i-1",
      expect.objectContaining({ claim: "a", stage: "s", code: "claim-launched", decision: expect.any(String) }),
    ]);
    expect(lines).toContainEqual(["debug", "no room", expect.objectContaining({ pod: "n/p" })]);
    expect(lines.at(-1)).toEqual(["info", "tick", expect.objectContaining({ changed: true, durationMs: 100 })]);
  });

  test("says a tick that a defect ended as an error", async () => {
    const { log, lines } = written();
    logTick(await reportWith({ cutShort: { stage: "launch", cause: "defect", message: "broken" } }), log);
    expect(lines.at(-1)?.slice(0, 2)).toEqual(["error", "the tick ended in launch: broken"]);
  });
});
