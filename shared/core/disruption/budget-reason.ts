/** Karpenter counterpart: pkg/controllers/disruption/events/events.go, NodePoolBlocked. It differs: it says the numbers. */
import type { DisruptionReason } from "#api/karpenter-v1/nodepool.ts";
import { refOf } from "../object-ref.ts";
import type { Reason } from "../reason.ts";
import type { PoolBudget } from "./budget.ts";

/** Why no more of the pool's nodes go now. An event where none may go at all. */
export function budgetReason(budget: PoolBudget, reason: DisruptionReason): Reason {
  const { nodes, allowed, disrupting } = budget;
  const message =
    budget.problem ??
    `Budgets allow ${allowed} of ${nodes} nodes to be disrupted at a time for reason ${reason}, and ${disrupting} are`;
  return {
    about: refOf("NodePool", budget.nodePool),
    code: "pool-budget",
    message,
    data: { nodes, allowed, disrupting },
    ...(allowed === 0 ? { event: { type: "Normal", reason: "DisruptionBlocked" } as const } : {}),
  };
}
