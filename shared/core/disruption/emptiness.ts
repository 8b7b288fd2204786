/**
 * Karpenter counterpart: pkg/controllers/disruption/emptiness.go with its validator. It differs: what holds after 15 s is
 * the part of the proposal that is still empty.
 */
import { parseDuration } from "#api/duration.ts";
import { isTrue } from "../condition.ts";
import { consolidatable } from "../nodeclaim/conditions.ts";
import type { Reason } from "../reason.ts";
import type { PoolBudget } from "./budget.ts";
import { budgetReason } from "./budget-reason.ts";
import type { Candidate } from "./candidate.ts";
import { disruptionCommand } from "./disruption-command.ts";
import { isEmpty } from "./eviction-cost.ts";
import { type DisruptionLook, type Method, type MethodAnswer, uidOf } from "./method.ts";

export function emptiness<View>(): Method<View> {
  return {
    name: "emptiness",
    reason: "Empty",
    waits: true,
    find: (look) => answer(look, emptyOnes(look)),
    confirm: (look, claimUids) =>
      answer(
        look,
        emptyOnes(look).filter((one) => claimUids.has(uidOf(one))),
      ),
  };
}

function emptyOnes<View>(look: DisruptionLook<View>): readonly Candidate[] {
  const isAny = look.snapshot.cluster.nodeClaims.some((claim) => isTrue(claim, consolidatable));
  return isAny ? look.candidates("graceful").candidates.filter(isEmptyCandidate) : [];
}

/** Karpenter: Emptiness.ShouldDisrupt. */
function isEmptyCandidate({ claim, nodePool, pods }: Candidate): boolean {
  return (
    nodePool.spec.replicas === undefined &&
    parseDuration(nodePool.spec.disruption.consolidateAfter) !== undefined &&
    isTrue(claim, consolidatable) &&
    isEmpty(pods)
  );
}

function answer<View>(look: DisruptionLook<View>, empty: readonly Candidate[]): MethodAnswer {
  const budgets = look.budgets("Empty");
  const { taken, reasons } = withinBudgets(empty, budgets);
  if (taken.length === 0) return { reasons };
  return { command: disruptionCommand("emptiness", "Empty", taken, [], budgets), reasons };
}

/** The first candidates of each pool that its budget leaves room for. */
function withinBudgets(
  empty: readonly Candidate[],
  budgets: ReadonlyMap<string, PoolBudget>,
): { readonly taken: readonly Candidate[]; readonly reasons: readonly Reason[] } {
  const used = new Map<string, number>();
  const held = new Map<string, PoolBudget>();
  const taken = empty.filter(({ nodePool }) => {
    const { name } = nodePool.metadata;
    const budget = budgets.get(name);
    const count = used.get(name) ?? 0;
    if (budget === undefined || count >= budget.remaining) {
      if (budget !== undefined) held.set(name, budget);
      return false;
    }
    used.set(name, count + 1);
    return true;
  });
  return { taken, reasons: [...held.values()].map((budget) => budgetReason(budget, "Empty")) };
}
