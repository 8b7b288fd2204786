/**
 * Karpenter counterpart: pkg/controllers/disruption/types.go, Command. It differs: it carries what it costs and spares, how
 * many pods move, and what it takes of each NodePool's budget, so that whoever carries it out can say so.
 */
import type { DisruptionReason } from "#api/karpenter-v1/nodepool.ts";
import { byText } from "../order.ts";
import { isReschedulable } from "../pod/pod-predicates.ts";
import type { PlannedClaim } from "../scheduling/solution.ts";
import type { PoolBudget } from "./budget.ts";
import type { Candidate } from "./candidate.ts";

/** In the order in which they are asked: the first that has a command is carried out. */
export const disruptionMethods = ["emptiness", "drift", "multi", "single"] as const;
export type DisruptionMethod = (typeof disruptionMethods)[number];

/** What a command takes of one NodePool's budget. */
export interface BudgetUse {
  readonly nodePool: string;
  /** Nodes of the command. */
  readonly nodes: number;
  /** Nodes that may still be disrupted, this command's included; Infinity without a budget. */
  readonly remaining: number;
}

/** Nodes that go together, and what comes for them first. */
export interface DisruptionCommand {
  readonly method: DisruptionMethod;
  readonly reason: DisruptionReason;
  /** At least one; in the order in which they were considered. */
  readonly candidates: readonly Candidate[];
  /** Claims to be made, none for a plain deletion. */
  readonly replacements: readonly PlannedClaim[];
  /** Of the candidates; an unknown price counts as 0. */
  readonly costBeforePerHour: number;
  /** Of the replacements, each at its cheapest. */
  readonly costAfterPerHour: number;
  /** Pods that need another place. */
  readonly podsMoved: number;
  /** By name of the pool. */
  readonly budgetUsed: readonly BudgetUse[];
}

/** `budgets`: by name of the pool, for the command's reason. */
export function disruptionCommand(
  method: DisruptionMethod,
  reason: DisruptionReason,
  candidates: readonly Candidate[],
  replacements: readonly PlannedClaim[],
  budgets: ReadonlyMap<string, PoolBudget>,
): DisruptionCommand {
  return {
    method,
    reason,
    candidates,
    replacements,
    costBeforePerHour: costOf(candidates),
    costAfterPerHour: replacements.reduce((sum, { cheapest }) => sum + cheapest.pricePerHour, 0),
    podsMoved: podsMovedOf(candidates),
    budgetUsed: budgetUse(candidates, budgets),
  };
}

/** Per hour; an unknown price counts as 0. */
export function costOf(candidates: readonly Candidate[]): number {
  return candidates.reduce((sum, { pricePerHour }) => sum + pricePerHour, 0);
}

export function podsMovedOf(candidates: readonly Candidate[]): number {
  return candidates.reduce((sum, { pods }) => sum + pods.filter(isReschedulable).length, 0);
}

function budgetUse(
  candidates: readonly Candidate[],
  budgets: ReadonlyMap<string, PoolBudget>,
): DisruptionCommand["budgetUsed"] {
  const nodes = new Map<string, number>();
  for (const { nodePool } of candidates) {
    const { name } = nodePool.metadata;
    nodes.set(name, (nodes.get(name) ?? 0) + 1);
  }
  return [...nodes]
    .sort(([a], [b]) => byText(a, b))
    .map(([nodePool, count]) => ({
      nodePool,
      nodes: count,
      remaining: budgets.get(nodePool)?.remaining ?? Number.POSITIVE_INFINITY,
    }));
}
