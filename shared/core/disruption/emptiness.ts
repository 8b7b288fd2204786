/**
 * Karpenter counterpart: pkg/controllers/disruption/emptiness.go with its validator. It differs: what holds after 15 s is
 * the part of the proposal that is still empty.
 */
import { isTrue } from "../condition.ts";
import { consolidatable } from "../nodeclaim/conditions.ts";
import { budgetReason } from "./budget-reason.ts";
import type { Candidate } from "./candidate.ts";
import { disruptionCommand } from "./disruption-command.ts";
import { bestEmpty } from "./empty-nodes.ts";
import { type DisruptionLook, type Method, type MethodAnswer, uidOf } from "./method.ts";

export function emptiness<View>(): Method<View> {
  return {
    name: "emptiness",
    reason: "Empty",
    waits: true,
    find: (look) => answer(look, ready(look)),
    confirm: (look, claimUids) =>
      answer(
        look,
        ready(look).filter((one) => claimUids.has(uidOf(one))),
      ),
  };
}

/** Candidates, where any node's time has come; most ticks find none. */
function ready<View>(look: DisruptionLook<View>): readonly Candidate[] {
  const isAny = look.snapshot.cluster.nodeClaims.some((claim) => isTrue(claim, consolidatable));
  return isAny ? look.candidates("graceful").candidates : [];
}

function answer<View>(look: DisruptionLook<View>, candidates: readonly Candidate[]): MethodAnswer {
  const budgets = look.budgets("Empty");
  const { move, held } = bestEmpty(candidates, budgets);
  const reasons = [...held].flatMap((name) => {
    const budget = budgets.get(name);
    return budget === undefined ? [] : [budgetReason(budget, "Empty")];
  });
  if (move === undefined) return { reasons };
  return { command: disruptionCommand("emptiness", "Empty", move.candidates, [], budgets), reasons };
}
