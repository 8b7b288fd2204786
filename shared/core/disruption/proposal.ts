/**
 * Karpenter counterpart: pkg/controllers/disruption/validation.go, which waits 15 s inside its loop. It differs: the
 * proposal waits in the state ConfigMap, and the first tick that comes late enough and still finds its candidates
 * carries it out.
 */
import type { PatchState } from "../command.ts";
import { keyFamilies } from "../state/key-families.ts";
import { type State, statePatches } from "../state/state-patch.ts";

/** Karpenter: consolidationTTL. */
export const validationDelayMs = 15_000;
/** A proposal that nobody came to carry out for so long is made anew. */
const staleMs = 10 * 60_000;
/** Bound of one key of the state: 500 UIDs are 18 kB. */
export const proposedMax = 500;

export interface Proposal {
  readonly atMs: number;
  /** UIDs of NodeClaims. */
  readonly claimUids: ReadonlySet<string>;
}

function keyOf(method: string): string {
  return `${keyFamilies.proposal.prefix}${method}`;
}

/** The proposal of a method that still stands; undefined when there is none. */
export function proposalOf(state: State, method: string, nowMs: number): Proposal | undefined {
  const match = /^(\d{1,16}) (\S+)$/.exec(state[keyOf(method)] ?? "");
  const atMs = Number(match?.[1] ?? Number.NaN);
  // A time from the future is a clock that went back.
  if (!Number.isFinite(atMs) || atMs > nowMs || nowMs - atMs > staleMs) return undefined;
  return { atMs, claimUids: new Set((match?.[2] ?? "").split(",")) };
}

export function isMature(proposal: Proposal, nowMs: number): boolean {
  return nowMs - proposal.atMs >= validationDelayMs;
}

/** Replaces the method's proposal; without UIDs it is removed. Empty when that changes nothing. */
export function proposalPatches(
  state: State,
  method: string,
  claimUids: readonly string[],
  nowMs: number,
): readonly PatchState[] {
  const value = claimUids.length === 0 ? null : `${nowMs} ${claimUids.slice(0, proposedMax).join(",")}`;
  return statePatches("proposal", state, { [keyOf(method)]: value });
}
