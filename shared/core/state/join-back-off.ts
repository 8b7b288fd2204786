/**
 * Karpenter counterpart: none; it launches anew each 15 minutes for ever where no node of a pool can join (a role that is
 * not mapped, user data that fails). Here such a pool rests, each time longer, and one claim tries before others follow.
 */
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { formatTime } from "#api/time.ts";
import type { PatchState } from "../command.ts";
import { pausePatches, readPause } from "./growing-pause.ts";
import { keyFamilies } from "./key-families.ts";
import type { State } from "./state-patch.ts";

/** A try takes a registration timeout, 15 min, to fail: the first pause is longer, so that the next one knows of it. */
const bounds = { firstMs: 20 * 60_000, longestMs: 60 * 60_000 };

function keyOf({ metadata }: NodePool): string {
  return `${keyFamilies.joining.prefix}${metadata.uid ?? metadata.name}`;
}

/** Until when the pool rests, ms, or rested last; undefined: nothing is held against it. */
export function joinPauseUntilMs(state: State, nodePool: NodePool): number | undefined {
  return readPause(state[keyOf(nodePool)])?.untilMs;
}

/** Why no claim of the pool is made before `untilMs`. */
export function restingInWords(untilMs: number): string {
  return `its nodes were launched and did not join the cluster; one is tried again at ${formatTime(untilMs)}, or at once when the NodePool or its node class changes`;
}

/** Lets `failed` rest from now on; of `cured` nothing is held any more. */
export function joinPatches(
  state: State,
  failed: readonly NodePool[],
  cured: readonly NodePool[],
  nowMs: number,
): readonly PatchState[] {
  return pausePatches("joining", state, { failed: failed.map(keyOf), cured: cured.map(keyOf) }, bounds, nowMs);
}
