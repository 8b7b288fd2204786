/**
 * Karpenter counterpart: none; its controllers run at once and meet in the API server. Here a tick runs its stages one
 * after the other.
 */
import type { Decision } from "./decision.ts";
import type { Snapshot } from "./snapshot.ts";

/**
 * A pure step of a tick. Inside it nothing waits, reads a clock, logs, draws an unseeded random number or throws for
 * bad input.
 */
export interface Stage<View = unknown> {
  readonly name: string;
  readonly decide: (snapshot: Snapshot<View>) => Decision;
}
