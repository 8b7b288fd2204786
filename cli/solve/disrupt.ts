import { performance } from "node:perf_hooks";
import { hostnameLabel, initializedLabel, registeredLabel } from "#api/karpenter-v1/labels.ts";
import type { DisruptionReason } from "#api/karpenter-v1/nodepool.ts";
import { poolBudgets } from "#core/disruption/budget.ts";
import { candidates } from "#core/disruption/candidate.ts";
import { Consolidation } from "#core/disruption/consolidation.ts";
import { bestEmpty } from "#core/disruption/empty-nodes.ts";
import { bestTogether } from "#core/disruption/multi-node-consolidation.ts";
import { bestSingle, type Found } from "#core/disruption/single-node-consolidation.ts";
import { claimOf, placedOnNodes } from "./answer.ts";
import type { AnswerCommand, AnswerRun, Problem } from "./problem.ts";
import { type PosedProblem, posedProblem } from "./snapshot.ts";

export const disruptionModes = ["emptiness", "multi", "single"] as const;
export type DisruptionMode = (typeof disruptionModes)[number];

export interface Disrupted {
  readonly commands: readonly AnswerCommand[];
  readonly run: AnswerRun;
  /** Why nodes stay, by name. */
  readonly kept: Readonly<Record<string, string>>;
}

/** One run of one method, timed from parsed objects to its command. */
export function disruptProblem(problem: Problem, mode: DisruptionMode): Disrupted {
  const startMs = performance.now();
  const posed = posedProblem(problem);
  const found = candidates(posed.snapshot, posed.provider, "graceful");
  const readyMs = performance.now();
  const { move, reasons } = methodOf(mode, posed, found.candidates);
  const endMs = performance.now();
  const hidden = new Set([hostnameLabel, registeredLabel, initializedLabel, posed.provider.nodeClass.label]);
  const replacements = (move?.replacements ?? []).map((planned) => claimOf(planned, hidden));
  const commands: readonly AnswerCommand[] =
    move === undefined
      ? []
      : [
          {
            decision: replacements.length === 0 ? "delete" : "replace",
            candidates: move.candidates.map(({ node }) => node.metadata.name).sort(),
            ...(replacements.length === 0 ? {} : { replacements }),
            existingNodes: placedOnNodes(move.placements),
            savedPerHour: move.saved,
          },
        ];
  const cost = replacements.reduce((sum, { cheapest }) => sum + (cheapest?.price ?? 0), 0);
  const blocked = found.blocked.map(({ node, message }) => [node.metadata.name, message] as const);
  const kept = reasons.flatMap(({ about, message }) => (about.kind === "Node" ? [[about.name, message] as const] : []));
  return {
    commands,
    kept: Object.fromEntries([...blocked, ...kept].sort(([a], [b]) => (a < b ? -1 : 1))),
    run: {
      setupMs: thousandths(readyMs - startMs),
      solveMs: thousandths(endMs - readyMs),
      nodeClaims: replacements.length,
      podsOnExistingNodes: (move?.placements ?? []).reduce((sum, { pods }) => sum + pods.length, 0),
      podsOnNewNodes: replacements.reduce((sum, { pods }) => sum + pods.length, 0),
      podErrors: 0,
      cheapestCostPerHour: cost,
      candidates: found.candidates.length,
      decision: move === undefined ? "no-op" : decisionOf(move.candidates.length, replacements.length),
    },
  };
}

function methodOf(
  mode: DisruptionMode,
  { snapshot, provider }: PosedProblem,
  found: Parameters<typeof bestEmpty>[0],
): Omit<Found, "held"> {
  const reason: DisruptionReason = mode === "emptiness" ? "Empty" : "Underutilized";
  const budgets = poolBudgets(snapshot.cluster, provider.nodeClass, reason, snapshot.nowMs);
  if (mode === "emptiness") return bestEmpty(found, budgets);
  const consolidation = new Consolidation({ snapshot, provider, candidates: found, budgets, resting: new Set() });
  const best = mode === "multi" ? bestTogether(consolidation) : bestSingle(consolidation);
  return { move: best.move, reasons: [...consolidation.reasons, ...best.reasons] };
}

function decisionOf(nodes: number, replacements: number): string {
  return `${replacements === 0 ? "delete" : "replace"} ${nodes} nodes -> ${replacements}`;
}

function thousandths(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
