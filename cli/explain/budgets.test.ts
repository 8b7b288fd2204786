import { describe, expect, test } from "vitest";
import type { Budget, NodePool } from "#api/karpenter-v1/nodepool.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { claimOf, nodeOf, poolOf, snapshotOf, statusOf } from "../../test/support/lifecycle-samples.ts";
import { allowanceRows, budgetRows } from "./budgets.ts";

const nodeClassRef = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" };
const names = Array.from({ length: 10 }, (_, i) => `n${i}`);

/** A pool with these budgets, and ten nodes of it, at that time. */
function worldAt(time: string, budgets: readonly Budget[]): { readonly pool: NodePool; readonly snapshot: Snapshot } {
  const pool = poolOf("pool", { disruption: { budgets } });
  const nodeClaims = names.map((name) =>
    claimOf(name, { spec: { nodeClassRef }, status: statusOf(name, "initialized") }),
  );
  const nodes = names.map((name) => nodeOf(name));
  return { pool, snapshot: snapshotOf({ nodePools: [pool], nodeClaims, nodes }, { atMs: Date.parse(time) }) };
}

function rowsAt(time: string, budgets: readonly Budget[]): readonly string[] {
  const { pool, snapshot } = worldAt(time, budgets);
  return allowanceRows(snapshot, pool).map((row) => row.replace(/ at a time of 10 initialized nodes$/, ""));
}

const any = "any number: no budget that is in force speaks of it";

describe("row 35: no budget for a reason means no limit, and that can be read off", () => {
  test("only empty nodes by day, so it was thought: Underutilized is not limited then", () => {
    const budgets: readonly Budget[] = [
      { nodes: "20%", reasons: ["Empty"], schedule: "0 6 * * *", duration: "20h" },
      { nodes: "20%", reasons: ["Underutilized", "Empty"], schedule: "0 2 * * *", duration: "4h" },
    ];
    expect(rowsAt("2024-09-17T12:00:00Z", budgets)).toEqual([
      "Empty          2: budgets[0] allows 2",
      `Drifted        ${any}`,
      `Underutilized  ${any}`,
    ]);
    expect(rowsAt("2024-09-17T03:00:00Z", budgets)).toEqual([
      "Empty          2: budgets[1] allows 2",
      `Drifted        ${any}`,
      "Underutilized  2: budgets[1] allows 2",
    ]);
  });

  test("drift on Monday nights only, so it was thought: on a Thursday nothing limits it", () => {
    const budgets: readonly Budget[] = [
      { nodes: "35%", schedule: "0 1 * * mon", duration: "4h" },
      { nodes: "35%", reasons: ["Empty"] },
    ];
    expect(rowsAt("2025-05-01T14:50:00Z", budgets)).toEqual([
      "Empty          4: budgets[1] allows 4",
      `Drifted        ${any}`,
      `Underutilized  ${any}`,
    ]);
    expect(rowsAt("2025-04-28T01:00:00Z", budgets)).toEqual([
      "Empty          4: budgets[0] allows 4",
      "Drifted        4: budgets[0] allows 4",
      "Underutilized  4: budgets[0] allows 4",
    ]);
    expect(rowsAt("2025-04-28T05:00:00Z", budgets)[1]).toBe(`Drifted        ${any}`);
  });

  test("one for Empty and Drifted, none for Underutilized, two for all", () => {
    const budgets: readonly Budget[] = [
      { nodes: "2" },
      { nodes: "1", reasons: ["Empty", "Drifted"], schedule: "0 7 * * *", duration: "20h" },
      { nodes: "0", reasons: ["Underutilized"], schedule: "0 7 * * *", duration: "20h" },
    ];
    expect(rowsAt("2024-09-19T12:00:00Z", budgets)).toEqual([
      "Empty          1: budgets[1] allows 1",
      "Drifted        1: budgets[1] allows 1",
      "Underutilized  0: budgets[2] allows 0",
    ]);
    expect(rowsAt("2024-09-19T04:00:00Z", budgets)).toEqual(
      ["Empty        ", "Drifted      ", "Underutilized"].map((reason) => `${reason}  2: budgets[0] allows 2`),
    );
  });
});

test("budgets are told as they are written, with whether each is in force", () => {
  const { pool, snapshot } = worldAt("2024-09-19T04:00:00Z", [
    { nodes: "10%" },
    { nodes: "0", reasons: [], schedule: "@daily", duration: "10h" },
    { nodes: "1", reasons: ["Empty", "Drifted"], schedule: "0 7 * * *", duration: "20h" },
    { nodes: "0", schedule: "0 0 * * sat-sun", duration: "24h" },
  ]);
  expect(budgetRows(pool, snapshot.nowMs)).toEqual([
    "[0] nodes 10% for every reason, always: in force now",
    '[1] nodes 0 for no reason, from "@daily" (UTC) on for 10h: in force now',
    '[2] nodes 1 for Empty, Drifted, from "0 7 * * *" (UTC) on for 20h: not in force now',
    '[3] nodes 0 for every reason, from "0 0 * * sat-sun" (UTC) on for 24h: cannot be read',
  ]);
  expect(allowanceRows(snapshot, pool)[0]).toMatch(/^Empty {10}0: spec.disruption.budgets\[3\] cannot be read: /);
});

test("a pool that rests says so", () => {
  const { pool, snapshot } = worldAt("2024-09-19T04:00:00Z", [{ nodes: "10%" }]);
  const state = { "back-off.uid-pool-pool": `${snapshot.nowMs + 90_000} 120000` };
  const rows = allowanceRows({ ...snapshot, cluster: { ...snapshot.cluster, state } }, pool);
  expect(rows.at(-1)).toBe("for 90 s nothing is replaced: the last replacement came to nothing");
});
