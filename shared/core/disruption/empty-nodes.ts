/** Karpenter counterpart: pkg/controllers/disruption/emptiness.go, ShouldDisrupt and ComputeCommands. No difference. */
import { parseDuration } from "#api/duration.ts";
import { isTrue } from "../condition.ts";
import { consolidatable } from "../nodeclaim/conditions.ts";
import type { PoolBudget } from "./budget.ts";
import { withinBudgets } from "./budget-room.ts";
import type { Candidate } from "./candidate.ts";
import { costOf } from "./disruption-command.ts";
import { isEmpty } from "./eviction-cost.ts";
import type { Found } from "./single-node-consolidation.ts";

function isEmptyCandidate({ claim, nodePool, pods }: Candidate): boolean {
  return (
    nodePool.spec.replicas === undefined &&
    parseDuration(nodePool.spec.disruption.consolidateAfter) !== undefined &&
    isTrue(claim, consolidatable) &&
    isEmpty(pods)
  );
}

/** All empty nodes that the budgets leave room for, most saved first. */
export function bestEmpty(candidates: readonly Candidate[], budgets: ReadonlyMap<string, PoolBudget>): Found {
  const { taken, held: left } = withinBudgets(candidates.filter(isEmptyCandidate), budgets);
  const held = new Set(left.map(({ nodePool }) => nodePool.metadata.name));
  if (taken.length === 0) return { move: undefined, held, reasons: [] };
  const move = { kind: "goes", candidates: taken, replacements: [], placements: [], saved: costOf(taken) } as const;
  return { move, held, reasons: [] };
}
