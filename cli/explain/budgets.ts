import type { Budget, NodePool } from "#api/karpenter-v1/nodepool.ts";
import { budgetRule, type PoolBudget, poolBudgets } from "#core/disruption/budget.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { restingPools } from "#core/state/pool-back-off.ts";
import { ec2Provider } from "#ec2/provider.ts";

const disruptionReasons = ["Empty", "Drifted", "Underutilized"] as const;

/** For each reason how many nodes may be disrupted now, and which budget says so. */
export function allowanceRows({ cluster, nowMs }: Snapshot, nodePool: NodePool): readonly string[] {
  const { name } = nodePool.metadata;
  const rows = disruptionReasons.map((reason) => {
    const budget = poolBudgets(cluster, ec2Provider.nodeClass, reason, nowMs).get(name);
    return `${reason.padEnd(13)}  ${budget === undefined ? "not known" : allowanceText(budget)}`;
  });
  const restsUntilMs = restingPools(cluster.state, [nodePool], nowMs).get(name);
  if (restsUntilMs === undefined) return rows;
  const seconds = Math.ceil((restsUntilMs - nowMs) / 1_000);
  return [...rows, `for ${seconds} s nothing is replaced: the last replacement came to nothing`];
}

function allowanceText({ problem, allowed, decidedBy, remaining, nodes, disrupting }: PoolBudget): string {
  if (problem !== undefined) return `0: ${problem}`;
  if (decidedBy === undefined) return "any number: no budget that is in force speaks of it";
  const going = disrupting === 0 ? "" : `, ${disrupting} of them going or not ready`;
  return `${remaining}: budgets[${decidedBy}] allows ${allowed} at a time of ${nodes} initialized nodes${going}`;
}

/** The pool's budgets as they are written, and whether each is in force now. */
export function budgetRows({ spec }: NodePool, nowMs: number): readonly string[] {
  return spec.disruption.budgets.map((budget, index) => {
    const rule = budgetRule(budget, index, 0, nowMs);
    const state = typeof rule === "string" ? "cannot be read" : rule.isInForce ? "in force now" : "not in force now";
    return `[${index}] ${budgetText(budget)}: ${state}`;
  });
}

function budgetText({ nodes, reasons, schedule, duration }: Budget): string {
  const of = reasons === undefined ? "every reason" : reasons.length === 0 ? "no reason" : reasons.join(", ");
  const when = schedule === undefined ? "always" : `from "${schedule}" (UTC) on for ${duration}`;
  return `nodes ${nodes} for ${of}, ${when}`;
}
