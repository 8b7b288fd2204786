/**
 * Karpenter counterpart: pkg/apis/v1/nodepool.go, GetAllowedDisruptionsByReason, and
 * pkg/controllers/disruption/helpers.go, BuildDisruptionBudgetMapping. It differs: a budget that cannot be read still
 * allows nothing, and it is said which one it is.
 */
import { parseDuration } from "#api/duration.ts";
import { nodePoolLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { Budget, DisruptionReason, NodePool } from "#api/karpenter-v1/nodepool.ts";
import { activeWindow } from "#api/schedule-window.ts";
import { isTrue } from "../condition.ts";
import { disruptionReason, initialized, instanceTerminating } from "../nodeclaim/conditions.ts";
import { isDeleting, isManagedClaim, type NodeClassKind } from "../nodeclaim/managed.ts";
import { claimsBeingReplaced } from "../nodeclaim/replacement-record.ts";
import type { ClusterView } from "../snapshot.ts";
import { nodesByProviderId, nodesOf } from "../state/node-index.ts";
import { isReady } from "../state/node-readiness.ts";

export interface Allowance {
  /** How many nodes may be disrupted at a time; Infinity without a budget for the reason. */
  readonly allowed: number;
  /** Index of the first budget that leaves no more; undefined where none is in force, or one cannot be read. */
  readonly decidedBy?: number;
  /** Why the budgets cannot be read; then nothing is allowed. */
  readonly problem?: string;
}

/** Karpenter: an error in any budget of the pool allows nothing, for every reason. */
export function allowedDisruptions(
  nodePool: NodePool,
  reason: DisruptionReason,
  nodes: number,
  nowMs: number,
): Allowance {
  let decided: { readonly allowed: number; readonly decidedBy?: number } = { allowed: Number.POSITIVE_INFINITY };
  for (const [index, budget] of nodePool.spec.disruption.budgets.entries()) {
    const rule = budgetRule(budget, index, nodes, nowMs);
    if (typeof rule === "string") return { allowed: 0, problem: rule };
    // An explicit empty list of reasons matches none.
    const matches = budget.reasons === undefined || budget.reasons.includes(reason);
    if (rule.isInForce && matches && rule.count < decided.allowed) decided = { allowed: rule.count, decidedBy: index };
  }
  return decided;
}

/** What cannot be read in the pool's budgets, each with its place; while there is any, no node of the pool goes. */
export function budgetProblems(nodePool: NodePool, nowMs: number): readonly string[] {
  return nodePool.spec.disruption.budgets.flatMap((budget, index) => {
    const rule = budgetRule(budget, index, 1, nowMs);
    return typeof rule === "string" ? [rule] : [];
  });
}

export interface BudgetRule {
  readonly count: number;
  readonly isInForce: boolean;
}

/** What the budget says now of so many nodes; a text says why it cannot be read. */
export function budgetRule(budget: Budget, index: number, nodes: number, nowMs: number): BudgetRule | string {
  const place = `spec.disruption.budgets[${index}]`;
  const state = budgetState(budget, nowMs);
  if (typeof state !== "boolean") return `${place} cannot be read: ${state.problem}`;
  const count = countOf(budget.nodes, nodes);
  if (count === undefined) return `${place}.nodes must be a count or a percentage; got "${budget.nodes}"`;
  return { count, isInForce: state };
}

/** Whether the budget is in force now. */
function budgetState(budget: Budget, nowMs: number): boolean | { readonly problem: string } {
  if (budget.schedule === undefined && budget.duration === undefined) return true;
  if (budget.schedule === undefined || budget.duration === undefined) {
    return { problem: "schedule and duration go together" };
  }
  const durationMs = parseDuration(budget.duration);
  if (durationMs === undefined) return { problem: `"${budget.duration}" is no duration` };
  return activeWindow(budget.schedule, durationMs, nowMs);
}

/** A percentage rounds up: 10 % of one node is one. */
function countOf(text: string, nodes: number): number | undefined {
  const match = /^(\d{1,9})(%?)$/.exec(text);
  if (match === null) return undefined;
  const number = Number(match[1]);
  return match[2] === "%" ? Math.ceil((nodes * number) / 100) : number;
}

export interface PoolBudget extends Allowance {
  readonly nodePool: NodePool;
  /** Initialized nodes of the pool. */
  readonly nodes: number;
  /** Of those, on their way out or not Ready, for whatever reason. */
  readonly disrupting: number;
  /** ≥ 0. */
  readonly remaining: number;
}

/** By the name of the pool. */
export function poolBudgets(
  cluster: ClusterView,
  nodeClass: NodeClassKind,
  reason: DisruptionReason,
  nowMs: number,
): ReadonlyMap<string, PoolBudget> {
  const nodes = nodesByProviderId(cluster.nodes);
  const replaced = claimsBeingReplaced(cluster.nodeClaims);
  const counts = new Map<string, { nodes: number; disrupting: number }>();
  for (const claim of cluster.nodeClaims) {
    if (!isCounted(claim, nodeClass)) continue;
    const [node] = nodesOf(claim, nodes);
    if (node === undefined) continue;
    const pool = claim.metadata.labels?.[nodePoolLabel] ?? "";
    const count = counts.get(pool) ?? { nodes: 0, disrupting: 0 };
    const isGoing = isDeleting(claim) || isDeleting(node) || replaced.has(claim.metadata.name);
    const isDisrupting = isGoing || isTrue(claim, disruptionReason) || !isReady(node);
    counts.set(pool, { nodes: count.nodes + 1, disrupting: count.disrupting + (isDisrupting ? 1 : 0) });
  }
  return new Map(
    cluster.nodePools.map((nodePool) => {
      const count = counts.get(nodePool.metadata.name) ?? { nodes: 0, disrupting: 0 };
      const allowance = allowedDisruptions(nodePool, reason, count.nodes, nowMs);
      const remaining = Math.max(0, allowance.allowed - count.disrupting);
      return [nodePool.metadata.name, { nodePool, ...count, ...allowance, remaining }];
    }),
  );
}

function isCounted(claim: NodeClaim, nodeClass: NodeClassKind): boolean {
  return isManagedClaim(claim, nodeClass) && isTrue(claim, initialized) && !isTrue(claim, instanceTerminating);
}
