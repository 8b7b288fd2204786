/**
 * Karpenter counterpart: none; who uninstalls it deletes its objects first, and hopes that nothing makes new ones. Here
 * a fact in the state says that Outrigger is being removed: the loop drains and ends, and begins nothing.
 */
import { brake } from "../brake.ts";
import { nothing } from "../decision.ts";
import type { Stage } from "../stage.ts";
import { keyFamilies } from "./key-families.ts";
import { type State, statePatches } from "./state-patch.ts";

const key = keyFamilies.removal.prefix;

export function isBeingRemoved(state: State): boolean {
  return state[key] !== undefined;
}

/** `sinceMs`: when the removal began; undefined takes the fact back. None when that changes nothing. */
export function removalPatches(state: State, sinceMs: number | undefined): ReturnType<typeof statePatches> {
  if (sinceMs !== undefined && isBeingRemoved(state)) return [];
  return statePatches("removal", state, { [key]: sinceMs === undefined ? null : String(sinceMs) });
}

/** A stage that makes nodes, or takes some to make others, stands still during a removal. */
export function unlessBeingRemoved<View>({ name, decide }: Stage<View>): Stage<View> {
  return {
    name,
    decide: (snapshot) =>
      isBeingRemoved(snapshot.cluster.state)
        ? { ...nothing, reasons: [brake(`Outrigger is being removed: ${name} stands still`)] }
        : decide(snapshot),
  };
}
