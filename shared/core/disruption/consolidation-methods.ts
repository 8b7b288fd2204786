/**
 * Karpenter counterpart: pkg/controllers/disruption/multinodeconsolidation.go and singlenodeconsolidation.go, as methods of
 * its loop, with ConsolidationValidation. It differs: what is validated is judged anew, price and score included.
 */
import { isTrue } from "../condition.ts";
import { consolidatable } from "../nodeclaim/conditions.ts";
import { budgetReason } from "./budget-reason.ts";
import { Consolidation, type Move } from "./consolidation.ts";
import { type DisruptionMethod, disruptionCommand } from "./disruption-command.ts";
import { type DisruptionLook, type Method, type MethodAnswer, uidOf } from "./method.ts";
import { bestTogether } from "./multi-node-consolidation.ts";
import { bestSingle, type Found } from "./single-node-consolidation.ts";

const reason = "Underutilized";

export function multiNodeConsolidation<View>(): Method<View> {
  return consolidationMethod("multi", bestTogether);
}

export function singleNodeConsolidation<View>(): Method<View> {
  return consolidationMethod("single", bestSingle);
}

function consolidationMethod<View>(
  name: DisruptionMethod,
  best: (consolidation: Consolidation<View>) => Found,
): Method<View> {
  return {
    name,
    reason,
    waits: true,
    find: (look) => {
      const consolidation = consolidationOf(look);
      if (consolidation === undefined) return { reasons: [] };
      const { move, held, reasons } = best(consolidation);
      const budgets = [...look.budgets(reason).values()].filter(({ nodePool }) => held.has(nodePool.metadata.name));
      // What speaks against a node by itself is said once, by the method that looks at nodes by themselves.
      const objections = name === "single" ? consolidation.reasons : [];
      const said = [...objections, ...reasons, ...budgets.map((budget) => budgetReason(budget, reason))];
      return answer(name, look, move, said);
    },
    confirm: (look, claimUids) => {
      const consolidation = consolidationOf(look);
      const proposed = consolidation?.candidates.filter((one) => claimUids.has(uidOf(one))) ?? [];
      if (consolidation === undefined || proposed.length !== claimUids.size) return { reasons: [] };
      const verdict = consolidation.verdictOn(proposed);
      return answer(name, look, verdict.kind === "goes" ? verdict : undefined, []);
    },
  };
}

/** Undefined where no node's time has come; most ticks find none. */
function consolidationOf<View>(look: DisruptionLook<View>): Consolidation<View> | undefined {
  const { snapshot, provider, resting } = look;
  if (!snapshot.cluster.nodeClaims.some((claim) => isTrue(claim, consolidatable))) return undefined;
  const { candidates } = look.candidates("graceful");
  return candidates.length === 0
    ? undefined
    : look.consolidation(() => {
        const budgets = look.budgets(reason);
        return new Consolidation({ snapshot, provider, candidates, budgets, resting: new Set(resting.keys()) });
      });
}

function answer<View>(
  name: DisruptionMethod,
  look: DisruptionLook<View>,
  move: Move | undefined,
  reasons: MethodAnswer["reasons"],
): MethodAnswer {
  if (move === undefined) return { reasons };
  return {
    command: disruptionCommand(name, reason, move.candidates, move.replacements, look.budgets(reason)),
    reasons,
  };
}
