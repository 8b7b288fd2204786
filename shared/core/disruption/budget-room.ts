/** Karpenter counterpart: pkg/controllers/disruption, where each method counts down its budgets by itself. No difference. */
import type { Candidate } from "./candidate.ts";

/** By name of the pool: how many nodes may still go. A pool that is not named has no room. */
export type Remaining = ReadonlyMap<string, { readonly remaining: number }>;

/** What is left of each pool's budget while nodes are chosen. */
export class BudgetRoom {
  readonly #left: Map<string, number>;

  constructor(budgets: Remaining) {
    this.#left = new Map([...budgets].map(([name, { remaining }]) => [name, remaining]));
  }

  has({ nodePool }: Candidate): boolean {
    return (this.#left.get(nodePool.metadata.name) ?? 0) > 0;
  }

  take({ nodePool }: Candidate): void {
    const { name } = nodePool.metadata;
    this.#left.set(name, (this.#left.get(name) ?? 0) - 1);
  }
}

/** The first of the list that the budgets leave room for, and the others. */
export function withinBudgets(
  list: readonly Candidate[],
  budgets: Remaining,
): { readonly taken: readonly Candidate[]; readonly held: readonly Candidate[] } {
  const room = new BudgetRoom(budgets);
  const taken: Candidate[] = [];
  const held: Candidate[] = [];
  for (const one of list) {
    if (!room.has(one)) {
      held.push(one);
      continue;
    }
    room.take(one);
    taken.push(one);
  }
  return { taken, held };
}
