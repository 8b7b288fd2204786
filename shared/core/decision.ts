/**
 * Karpenter counterpart: none; a controller there acts and answers a reconcile.Result. Here it answers what to do, why,
 * and when it wants to be asked again.
 */
import type { Command } from "./command.ts";
import type { Reason } from "./reason.ts";

/** What a stage answers: what to do, in this order, and why. */
export interface Decision {
  readonly commands: readonly Command[];
  readonly reasons: readonly Reason[];
  /** When this stage wants to be asked again although nothing changed, ms since the epoch. */
  readonly againAtMs?: number;
}

export const nothing: Decision = { commands: [], reasons: [] };

/** All of them, in order; the earliest `againAtMs`. */
export function together(decisions: readonly Decision[]): Decision {
  const times = decisions.flatMap((d) => (d.againAtMs === undefined ? [] : [d.againAtMs]));
  return {
    commands: decisions.flatMap((d) => d.commands),
    reasons: decisions.flatMap((d) => d.reasons),
    ...(times.length === 0 ? {} : { againAtMs: Math.min(...times) }),
  };
}
