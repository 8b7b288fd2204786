/**
 * The set of nodes whose going together saves most. Karpenter counterpart:
 * pkg/controllers/disruption/multinodeconsolidation.go, which looks for the longest prefix of the sorted list that can go. It
 * differs: that prefix is where the search begins. Then nodes are taken away one by one as long as the pods of all have room
 * on those that stay, in several orders, and what is found is stretched by further nodes for which one cheaper node comes.
 */
import { byKey, inTurn, type Order } from "../order.ts";
import { BudgetRoom, withinBudgets } from "./budget-room.ts";
import type { Candidate } from "./candidate.ts";
import type { Consolidation, Move } from "./consolidation.ts";
import { costOf, podsMovedOf } from "./disruption-command.ts";
import type { Found } from "./single-node-consolidation.ts";

/** Karpenter: a batch has 100 nodes, and by the arithmetic of its indexes 101 when there are more. */
const nodesMax = 101;
/** Nodes that are tried for one set, so that very large clusters stay within seconds. */
const triesMax = 2_000;
const tolerance = 1e-9;

const byName = byKey<Candidate>(({ claim }) => claim.metadata.name);
/** The inputs' own order; then nodes with little to move first; then dear ones. */
const orders: readonly (Order<Candidate> | undefined)[] = [
  undefined,
  inTurn(
    byKey<Candidate>(({ reschedulingCost }) => reschedulingCost),
    byKey<Candidate>(({ pricePerHour }) => -pricePerHour),
    byName,
  ),
  inTurn(
    byKey<Candidate>(({ pricePerHour }) => -pricePerHour),
    byName,
  ),
];

export function bestTogether<View>(consolidation: Consolidation<View>): Found {
  const { candidates } = consolidation;
  const within = withinBudgets(candidates, consolidation.budgets).taken.slice(0, nodesMax);
  if (within.length < 2) return { move: undefined, held: new Set(), reasons: [] };
  const found: Move[] = [...longestPrefix(within, consolidation)];
  const most = mostSaved(consolidation);
  for (const order of orders) {
    if (found.some(({ saved }) => saved >= most - tolerance)) break;
    const list = order === undefined ? candidates : [...candidates].sort(order);
    const chosen = deletable(list, consolidation);
    const [move] = chosen.length < 2 ? [] : longestPrefix(chosen, consolidation);
    if (move === undefined) continue;
    found.push(move, ...stretched(move, list, consolidation));
  }
  return { move: [...found].sort(byWorth)[0], held: new Set(), reasons: [] };
}

/** No set of nodes within the budgets can save more. */
function mostSaved<View>(consolidation: Consolidation<View>): number {
  const dearest = [...consolidation.candidates].sort(byKey(({ pricePerHour }) => -pricePerHour));
  return costOf(withinBudgets(dearest, consolidation.budgets).taken.slice(0, nodesMax));
}

/** Most saved first; then the fewest pods moved, the fewest nodes, and the names. */
const byWorth = inTurn<Move>(
  (a, b) => (Math.abs(a.saved - b.saved) <= tolerance ? 0 : b.saved - a.saved),
  byKey(({ candidates }) => podsMovedOf(candidates)),
  byKey(({ candidates }) => candidates.length),
  byKey(({ candidates }) => candidates.map(({ claim }) => claim.metadata.name).join()),
);

/** Karpenter: firstNConsolidationOption. The longest that the halving finds, of at least two nodes; none or one move. */
function longestPrefix<View>(list: readonly Candidate[], consolidation: Consolidation<View>): readonly Move[] {
  let best: Move | undefined;
  let [low, high] = [2, Math.min(list.length, nodesMax)];
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const verdict = consolidation.verdictOn(list.slice(0, middle));
    if (verdict.kind === "goes") {
      best = verdict;
      low = middle + 1;
    } else high = middle - 1;
  }
  return best === undefined ? [] : [best];
}

/** Nodes that can go one after the other without any that comes. */
function deletable<View>(list: readonly Candidate[], consolidation: Consolidation<View>): readonly Candidate[] {
  const room = new BudgetRoom(consolidation.budgets);
  return consolidation.base.oneByOne(list.slice(0, triesMax), nodesMax, {
    mayGo: (one) => room.has(one),
    gone: (one) => room.take(one),
  });
}

/** The move with further nodes of the list, for which one node comes; twice as many each time as long as it works. */
function stretched<View>(
  { candidates }: Move,
  list: readonly Candidate[],
  consolidation: Consolidation<View>,
): readonly Move[] {
  const first = new Set(candidates);
  const wanted = [...candidates, ...list.filter((one) => !first.has(one))];
  const others = withinBudgets(wanted, consolidation.budgets).taken.filter((one) => !first.has(one));
  const most = Math.min(others.length, nodesMax - candidates.length);
  const found: Move[] = [];
  for (let count = 1; count <= most; count *= 2) {
    const verdict = consolidation.verdictOn([...candidates, ...others.slice(0, count)]);
    if (verdict.kind === "stays") break;
    found.push(verdict);
  }
  return found;
}
