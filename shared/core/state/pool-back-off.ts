/**
 * Karpenter counterpart: none yet (designs/drift-per-nodepool-backoff.md proposes it). A pool whose replacements came to
 * nothing rests, each time longer, while the others go on.
 */
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import type { PatchState } from "../command.ts";
import { pausePatches, readPause } from "./growing-pause.ts";
import { keyFamilies } from "./key-families.ts";
import type { State } from "./state-patch.ts";

/** As long as an offering's first rest at most, so that the pool is tried again when its offerings are. */
const bounds = { firstMs: 60_000, longestMs: 60 * 60_000 };

function keyOf({ metadata }: NodePool): string {
  return `${keyFamilies.backOff.prefix}${metadata.uid ?? metadata.name}`;
}

/** Until when pools rest, ms, by name. */
export function restingPools(state: State, nodePools: readonly NodePool[], nowMs: number): ReadonlyMap<string, number> {
  return new Map(
    nodePools.flatMap((nodePool) => {
      const untilMs = readPause(state[keyOf(nodePool)])?.untilMs ?? 0;
      return untilMs > nowMs ? [[nodePool.metadata.name, untilMs] as const] : [];
    }),
  );
}

/** Lets `failed` rest from now on; `cured` are as new. */
export function backOffPatches(
  state: State,
  failed: readonly NodePool[],
  cured: readonly NodePool[],
  nowMs: number,
): readonly PatchState[] {
  return pausePatches("backOff", state, { failed: failed.map(keyOf), cured: cured.map(keyOf) }, bounds, nowMs);
}
