import { performance } from "node:perf_hooks";
import { planProvisioning } from "#core/provisioning/plan.ts";
import { timedBudget } from "../improve-budget.ts";
import { placementOf } from "./answer.ts";
import type { AnswerRun, Placement, Problem } from "./problem.ts";
import { posedProblem } from "./snapshot.ts";

export interface Solved {
  readonly placement: Placement;
  readonly run: AnswerRun;
}

/** One run, timed from parsed objects to the plan; absent `improveMs`: with the search for a cheaper plan that a tick makes. */
export function solveProblem(problem: Problem, improveMs?: number): Solved {
  const startMs = performance.now();
  const { snapshot, provider } = posedProblem(problem);
  const readyMs = performance.now();
  const mode = problem.options.reservedFallback ? "fallback" : "strict";
  const budget = improveMs === undefined ? undefined : timedBudget(improveMs);
  const plan = planProvisioning(snapshot, provider, mode, budget);
  const endMs = performance.now();
  const placement = placementOf(plan, problem, provider.nodeClass.label);
  const { nodeClaims, existingNodes, podErrors } = placement;
  const count = (lists: readonly { readonly pods: readonly string[] }[]): number =>
    lists.reduce((total, { pods }) => total + pods.length, 0);
  return {
    placement,
    run: {
      setupMs: thousandths(readyMs - startMs),
      solveMs: thousandths(endMs - readyMs),
      nodeClaims: nodeClaims.length,
      podsOnExistingNodes: count(existingNodes),
      podsOnNewNodes: count(nodeClaims),
      podErrors: Object.keys(podErrors).length,
      cheapestCostPerHour: nodeClaims.reduce((total, { cheapest }) => total + (cheapest?.price ?? 0), 0),
    },
  };
}

function thousandths(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
