/**
 * Karpenter counterpart: none; it watches Nodes all the time. While a node is expected the tick asks to be woken within
 * a while, so that somebody is awake when it joins; and no longer than the window, so that a node that never comes does
 * not keep anybody awake.
 */
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { isTrue } from "../condition.ts";
import { launched, transitionMs } from "./conditions.ts";

const pollMs = 20_000;
const windowMs = 5 * 60_000;

/** When to look again for the claim's node; undefined when none is expected any more. `isInitialized` as of this tick. */
export function joinPollAtMs(claim: NodeClaim, isInitialized: boolean, nowMs: number): number | undefined {
  const launchedMs = isTrue(claim, launched) && !isInitialized ? transitionMs(claim, launched) : undefined;
  return launchedMs !== undefined && nowMs < launchedMs + windowMs ? nowMs + pollMs : undefined;
}
