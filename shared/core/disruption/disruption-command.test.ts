import { expect, test } from "vitest";
import { eagerPool, nodesWithPods } from "../../../test/support/disruption-objects.ts";
import { instanceType, nodeClass, snapshotOf, testProvider } from "../../../test/support/scheduling-objects.ts";
import { poolBudgets } from "./budget.ts";
import { candidates } from "./candidate.ts";
import { disruptionCommand } from "./disruption-command.ts";

const four = instanceType("four", 4);

test("a command states its cost before and after, how many pods move, and what it takes of each pool's budget", () => {
  const made = nodesWithPods({
    a: { type: four, pods: ["1", "1"] },
    b: { type: four, pool: "other", pods: ["1"] },
    c: { type: four, pool: "other" },
  });
  const nodePools = [eagerPool("default", { budgets: [{ nodes: "1" }] }), eagerPool("other")];
  const snapshot = snapshotOf({ nodePools, ...made }, [four]);
  const found = candidates(snapshot, testProvider, "graceful").candidates;
  const budgets = poolBudgets(snapshot.cluster, nodeClass, "Underutilized", snapshot.nowMs);
  const command = disruptionCommand("multi", "Underutilized", found, [], budgets);
  expect(command.costBeforePerHour).toBeCloseTo(0.6);
  expect(command).toMatchObject({
    costAfterPerHour: 0,
    podsMoved: 3,
    budgetUsed: [
      { nodePool: "default", nodes: 1, remaining: 1 },
      { nodePool: "other", nodes: 2, remaining: Number.POSITIVE_INFINITY },
    ],
  });
});
