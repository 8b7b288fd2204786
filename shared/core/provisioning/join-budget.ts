/**
 * After a rest of a pool whose nodes did not join, one claim tries; the others wait for what becomes of it. Karpenter
 * counterpart: none, see state/join-back-off.ts.
 */
import type { PlannedClaim } from "../scheduling/solution.ts";
import { joinPauseUntilMs } from "../state/join-back-off.ts";
import type { State } from "../state/state-patch.ts";

export const joinTriedMessage =
  "its nodes were launched and did not join the cluster: one claim tries first, more follow when its node has joined";

export class JoinBudget {
  readonly #state: State;
  readonly #tried = new Set<string>();

  constructor(state: State) {
    this.#state = state;
  }

  /** Takes the pool's one try; a text: why the claim must wait. */
  refusalOf({ nodePool }: PlannedClaim): string | undefined {
    const { name } = nodePool.metadata;
    if (joinPauseUntilMs(this.#state, nodePool) === undefined) return undefined;
    if (this.#tried.has(name)) return `NodePool ${name}: ${joinTriedMessage}`;
    this.#tried.add(name);
    return undefined;
  }
}
