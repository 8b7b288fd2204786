import { describe, expect, test } from "vitest";
import type { Budget } from "#api/karpenter-v1/nodepool.ts";
import {
  ago,
  claimOf,
  condition,
  nodeClass,
  nodeOf,
  nowMs,
  poolOf,
  snapshotOf,
  statusOf,
} from "../../../test/support/lifecycle-samples.ts";
import { allowedDisruptions, poolBudgets } from "./budget.ts";

const allowed = (budgets: readonly Budget[], nodes: number, atMs = nowMs) =>
  allowedDisruptions(poolOf("pool", { disruption: { budgets } }), "Empty", nodes, atMs).allowed;

describe("allowed disruptions", () => {
  test.each([
    ["10%", 1, 1],
    ["10%", 10, 1],
    ["10%", 11, 2],
    ["10%", 0, 0],
    ["0%", 100, 0],
    ["100%", 7, 7],
    ["5", 3, 5],
    ["0", 3, 0],
  ])("%s of %d nodes is %d", (nodes, count, expected) => {
    expect(allowed([{ nodes }], count)).toBe(expected);
  });

  test("the smallest of the budgets that match the reason counts", () => {
    const budgets: readonly Budget[] = [
      { nodes: "50%" },
      { nodes: "3", reasons: ["Empty"] },
      { nodes: "1", reasons: ["Drifted"] },
    ];
    expect(allowed(budgets, 10)).toBe(3);
  });

  test("no matching budget is no limit, and an explicit empty list of reasons matches none", () => {
    expect(allowed([{ nodes: "1", reasons: ["Drifted"] }], 10)).toBe(Number.POSITIVE_INFINITY);
    expect(allowed([{ nodes: "1", reasons: [] }], 10)).toBe(Number.POSITIVE_INFINITY);
  });

  test("a window is open from its start and closed from its end", () => {
    const budget = { nodes: "0", schedule: "0 12 * * *", duration: "1h" };
    expect(allowed([budget], 10, nowMs - 1)).toBe(Number.POSITIVE_INFINITY);
    expect(allowed([budget], 10, nowMs)).toBe(0);
    expect(allowed([budget], 10, nowMs + 3_600_000 - 1)).toBe(0);
    expect(allowed([budget], 10, nowMs + 3_600_000)).toBe(Number.POSITIVE_INFINITY);
  });

  test("one budget that cannot be read allows nothing for any reason, and is named", () => {
    const budgets: readonly Budget[] = [
      { nodes: "10" },
      { nodes: "5", schedule: "sat * * * *", duration: "1h", reasons: ["Drifted"] },
    ];
    const allowance = allowedDisruptions(poolOf("pool", { disruption: { budgets } }), "Empty", 10, nowMs);
    expect(allowance.allowed).toBe(0);
    expect(allowance.problem).toContain("spec.disruption.budgets[1]");
  });
});

test("the budget that leaves the fewest decides, the first of those that leave as few", () => {
  const budgets: readonly Budget[] = [
    { nodes: "50%" },
    { nodes: "3" },
    { nodes: "30%" },
    { nodes: "1", reasons: ["Drifted"] },
  ];
  const decided = (reason: "Empty" | "Drifted") =>
    allowedDisruptions(poolOf("pool", { disruption: { budgets } }), reason, 10, nowMs).decidedBy;
  expect([decided("Empty"), decided("Drifted")]).toEqual([1, 3]);
});

describe("budgets of a cluster", () => {
  const initialized = (name: string, change: Parameters<typeof claimOf>[1] = {}) =>
    claimOf(name, { status: statusOf(name, "initialized"), ...change });
  const ending = statusOf("e", "initialized");
  const cluster = snapshotOf({
    nodePools: [poolOf("pool", { disruption: { budgets: [{ nodes: "50%" }] } })],
    nodeClaims: [
      initialized("a"),
      initialized("b"),
      initialized("c", { deletionTimestamp: ago(0) }),
      claimOf("d", { status: statusOf("d", "registered") }),
      claimOf("e", {
        status: { ...ending, conditions: [...(ending.conditions ?? []), condition("InstanceTerminating", "True")] },
      }),
      initialized("f"),
    ],
    nodes: [nodeOf("a"), nodeOf("b", { ready: "False" }), nodeOf("c"), nodeOf("d"), nodeOf("e"), nodeOf("f")],
  }).cluster;

  test("initialized nodes count, ending instances do not; those not Ready or deleted are disruptions under way", () => {
    expect(poolBudgets(cluster, nodeClass, "Empty", nowMs).get("pool")).toMatchObject({
      nodes: 4,
      disrupting: 2,
      allowed: 2,
      remaining: 0,
    });
  });

  test("nodes that wait for their replacements, and marked ones, are disruptions under way", () => {
    const marked = {
      ...statusOf("b", "initialized"),
      conditions: [...(statusOf("b", "initialized").conditions ?? []), condition("DisruptionReason", "True")],
    };
    const waiting = snapshotOf({
      nodePools: [poolOf("pool", { disruption: { budgets: [{ nodes: "100%" }] } })],
      nodeClaims: [
        initialized("a"),
        initialized("b", { status: marked }),
        initialized("c"),
        claimOf("new", { annotations: { "outrigger.dev/disruption": "Drifted 1", "outrigger.dev/replaces": "a" } }),
      ],
      nodes: [nodeOf("a"), nodeOf("b"), nodeOf("c")],
    }).cluster;
    expect(poolBudgets(waiting, nodeClass, "Empty", nowMs).get("pool")).toMatchObject({ disrupting: 2, remaining: 1 });
  });

  test("row 36: a budget is how many go at a time, not how many go in a while", () => {
    const names = Array.from({ length: 200 }, (_, i) => `n${i}`);
    const of = (going: readonly string[]) =>
      poolBudgets(
        snapshotOf({
          nodePools: [
            poolOf("pool", { disruption: { budgets: [{ nodes: "1%", schedule: "0 12 * * *", duration: "15m" }] } }),
          ],
          nodeClaims: names.map((name) => initialized(name, going.includes(name) ? { deletionTimestamp: ago(0) } : {})),
          nodes: names.map((name) => nodeOf(name)),
        }).cluster,
        nodeClass,
        "Empty",
        nowMs,
      ).get("pool")?.remaining;
    expect(of([])).toBe(2);
    expect(of(["n0"])).toBe(1);
    expect(of(["n0", "n1"])).toBe(0);
  });

  test("other providers' nodes are counted in no budget", () => {
    const other = { ...nodeClass, group: "other.dev" };
    expect(poolBudgets(cluster, other, "Empty", nowMs).get("pool")).toMatchObject({ nodes: 0, remaining: 0 });
  });
});
