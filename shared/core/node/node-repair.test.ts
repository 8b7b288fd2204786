import { describe, expect, test } from "vitest";
import type { Node, NodeCondition } from "#api/core-v1/node.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import {
  ago,
  claimOf,
  minuteMs,
  nodeClass,
  nodeOf,
  nowMs,
  snapshotOf,
  statusOf,
} from "../../../test/support/lifecycle-samples.ts";
import type { RepairPolicy } from "../cloud-provider.ts";
import type { Decision } from "../decision.ts";
import type { ClusterView, Snapshot } from "../snapshot.ts";
import { nodeRepair } from "./node-repair.ts";

const repairPolicies: readonly RepairPolicy[] = [
  { conditionType: "Ready", conditionStatus: "False", tolerationMs: 30 * minuteMs },
  { conditionType: "Ready", conditionStatus: "Unknown", tolerationMs: 30 * minuteMs },
  { conditionType: "AcceleratedHardwareReady", conditionStatus: "False", tolerationMs: 10 * minuteMs },
];
const stage = nodeRepair({ nodeClass, repairPolicies });
const up = (name: string, change: Parameters<typeof claimOf>[1] = {}): NodeClaim =>
  claimOf(name, { status: statusOf(name, "initialized"), ...change });

function nodeWith(name: string, conditions: readonly NodeCondition[], change = {}): Node {
  const node = nodeOf(name, change);
  return { ...node, status: { ...node.status, conditions } };
}

const since = (minutes: number, status: "True" | "False" | "Unknown" = "Unknown", type = "Ready"): NodeCondition => ({
  type,
  status,
  lastTransitionTime: ago(minutes * minuteMs),
});
const well = (name: string) => nodeWith(name, [since(99, "True")]);
const lost = (name: string) => nodeWith(name, [since(35)]);

function decided(
  cluster: Partial<ClusterView>,
  { gate = true, ...change }: Partial<Snapshot> & { gate?: boolean } = {},
): Decision {
  const snapshot = snapshotOf(cluster);
  const { settings } = snapshot;
  const featureGates = { ...settings.featureGates, nodeRepair: gate };
  return stage.decide({ ...snapshot, ...change, settings: { ...settings, featureGates } });
}

const deleted = ({ commands }: Decision) =>
  commands.flatMap((command) => (command.kind === "delete-object" ? [command.target.name] : []));
const names = (count: number) => Array.from({ length: count }, (_, i) => `n${i}`);
/** So many nodes of one pool, the first of them ill. */
const pool = (count: number, ill: number) => ({
  nodeClaims: names(count).map((name) => up(name)),
  nodes: names(count).map((name, i) => (i < ill ? lost(name) : well(name))),
});

describe("row 71: a node that is not well for too long", () => {
  test("is ended although its pods are not asked: the deadline of its drain is now", () => {
    const decision = decided(pool(3, 1));
    expect(decision.commands).toEqual([
      {
        kind: "patch-metadata",
        target: { kind: "NodeClaim", name: "n0", uid: "uid-n0" },
        annotations: { "karpenter.sh/nodeclaim-termination-timestamp": ago(0) },
      },
      { kind: "delete-object", target: { kind: "NodeClaim", name: "n0", uid: "uid-n0" } },
    ]);
    expect(decision.reasons.map(({ about, message, event }) => `${about.kind} ${event?.reason}: ${message}`)).toEqual([
      "Node DisruptionTerminating: Unhealthy: Ready is Unknown, for 35 min",
      "NodeClaim DisruptionTerminating: Unhealthy: Ready is Unknown, for 35 min",
    ]);
  });

  test("stays without the gate, which is off by default", () => {
    expect(decided(pool(3, 1), { gate: false })).toEqual({ commands: [], reasons: [] });
    expect(snapshotOf({}).settings.featureGates.nodeRepair).toBe(false);
  });

  test("30 % of a pool ill: nothing is ended, and an event says so on each node that would be", () => {
    const { commands, reasons } = decided(pool(10, 3));
    expect(commands).toEqual([]);
    expect(reasons).toHaveLength(3);
    expect(reasons[0]).toEqual({
      about: { kind: "Node", name: "node-n0", uid: "uid-node-n0" },
      code: "brake",
      message: "Not repaired (Ready is Unknown): 3 of 10 nodes of NodePool pool are unhealthy, more than a fifth",
      event: { type: "Warning", reason: "NodeRepairBlocked" },
    });
  });

  test.each([
    [1, 1, 1],
    [5, 1, 1],
    [5, 2, 0],
    [6, 2, 2],
    [10, 2, 2],
  ])("of %d nodes %d ill: %d go, a fifth rounds up", (count, ill, gone) => {
    expect(deleted(decided(pool(count, ill)))).toHaveLength(gone);
  });

  test("never initialized: it goes 15 min after it joined", () => {
    const joined = (minutes: number) =>
      claimOf("n0", { status: statusOf("n0", "registered", nowMs - minutes * minuteMs) });
    const nodes = [well("n0")];
    expect(deleted(decided({ nodeClaims: [joined(15)], nodes }))).toEqual(["n0"]);
    const early = decided({ nodeClaims: [joined(14)], nodes });
    expect([early.commands, early.againAtMs]).toEqual([[], nowMs + minuteMs]);
  });
});

describe("the policies", () => {
  test.each([
    ["Ready", "False", 30],
    ["Ready", "Unknown", 30],
    ["AcceleratedHardwareReady", "False", 10],
  ] as const)("%s %s is borne for %d min", (type, status, minutes) => {
    const at = (ago: number) => {
      const ready = type === "Ready" ? [] : [since(99, "True")];
      return decided({ nodeClaims: [up("n0")], nodes: [nodeWith("n0", [...ready, since(ago, status, type)])] });
    };
    expect(deleted(at(minutes))).toEqual(["n0"]);
    expect(at(minutes - 1)).toEqual({ commands: [], reasons: [], againAtMs: nowMs + minuteMs });
  });

  test("what no policy names, and a condition without a time, ends nothing", () => {
    const nodes = [nodeWith("n0", [since(99, "True", "MemoryPressure"), { type: "Ready", status: "False" }])];
    expect(decided({ nodeClaims: [up("n0")], nodes }).commands).toEqual([]);
  });

  test("of two illnesses the one that is due first counts", () => {
    const nodes = [nodeWith("n0", [since(20, "False"), since(5, "False", "AcceleratedHardwareReady")])];
    expect(decided({ nodeClaims: [up("n0")], nodes }).againAtMs).toBe(nowMs + 5 * minuteMs);
  });
});

describe("what is left alone", () => {
  test("a claim on its way out, another provider's, one without a node", () => {
    const nodeClassRef = { group: "other.dev", kind: "Other", name: "x" };
    expect(decided({ nodeClaims: [up("n0", { deletionTimestamp: ago(0) })], nodes: [lost("n0")] }).commands).toEqual(
      [],
    );
    expect(decided({ nodeClaims: [up("n0", { spec: { nodeClassRef } })], nodes: [lost("n0")] }).commands).toEqual([]);
    expect(decided({ nodeClaims: [up("n0")] }).commands).toEqual([]);
  });

  test("everything, when the look was not whole", () => {
    const cloud = { instances: [], incomplete: ["DescribeInstances"], view: undefined };
    expect(decided(pool(3, 1), { cloud }).reasons.map(({ code }) => code)).toEqual(["brake"]);
  });

  test("a deadline that is past already", () => {
    const annotations = { "karpenter.sh/nodeclaim-termination-timestamp": ago(minuteMs) };
    expect(
      decided({ nodeClaims: [up("n0", { annotations })], nodes: [lost("n0")] }).commands.map(({ kind }) => kind),
    ).toEqual(["delete-object"]);
  });

  test("a claim without a pool is judged among all nodes", () => {
    const { nodeClaims, nodes } = pool(9, 2);
    const alone = up("alone", { labels: { [nodeClass.label]: "default" } });
    const own = nodeWith("alone", [since(35)], { labels: { [nodeClass.label]: "default" } });
    expect(deleted(decided({ nodeClaims: [alone], nodes: [own] }))).toEqual(["alone"]);
    expect(deleted(decided({ nodeClaims: [alone, ...nodeClaims], nodes: [own, ...nodes] }))).toEqual(["n0", "n1"]);
  });
});
