/**
 * The one node whose going saves most. Karpenter counterpart: pkg/controllers/disruption/singlenodeconsolidation.go, which
 * takes the first that can go, one NodePool after the other, for at most three minutes. It differs: all that could save more
 * than the best so far are looked at, so no pool can be passed over.
 */

import { byKey, inTurn } from "../order.ts";
import type { Reason } from "../reason.ts";
import type { Candidate } from "./candidate.ts";
import { type Consolidation, type Move, unconsolidatable } from "./consolidation.ts";

export interface Found {
  readonly move: Move | undefined;
  /** Names of the pools whose budgets held some node back. */
  readonly held: ReadonlySet<string>;
  readonly reasons: readonly Reason[];
}

/** Differences of price below this are roundings. */
const tolerance = 1e-9;
/** Nodes of which users hear by an event why they stay; `explain` knows the others too. */
const eventsMax = 10;

/** The dearest can save most; then as they came. */
const dearestFirst = inTurn<readonly [Candidate, number]>(
  byKey(([{ pricePerHour }]) => -pricePerHour),
  byKey(([, order]) => order),
);

export function bestSingle<View>(consolidation: Consolidation<View>): Found {
  const reasons: Reason[] = [];
  const held = new Set<string>();
  let best: Move | undefined;
  const ordered = consolidation.candidates.map((one, i) => [one, i] as const).sort(dearestFirst);
  for (const [candidate] of ordered) {
    // Nothing that follows can save more.
    if (best !== undefined && candidate.pricePerHour <= best.saved + tolerance) break;
    const { name } = candidate.nodePool.metadata;
    if ((consolidation.budgets.get(name)?.remaining ?? 0) === 0) {
      held.add(name);
      continue;
    }
    const message = consolidation.hopelessness(candidate);
    const verdict =
      message === undefined ? consolidation.verdictOn([candidate]) : ({ kind: "stays", message } as const);
    if (verdict.kind === "stays") {
      reasons.push(...unconsolidatable(candidate, verdict.message, reasons.length < 2 * eventsMax));
    } else if (best === undefined || verdict.saved > best.saved + tolerance) best = verdict;
  }
  return { move: best, held, reasons };
}
