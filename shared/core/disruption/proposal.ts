/**
 * Karpenter counterpart: pkg/controllers/disruption/validation.go, which waits 15 s inside its loop. It differs: the
 * proposal waits in the state ConfigMap, and the first tick that comes late enough and still finds its command carries
 * it out.
 */
import type { PatchState } from "../command.ts";
import { keyFamilies } from "../state/key-families.ts";
import { type State, statePatches } from "../state/state-patch.ts";
import type { DisruptionMethod } from "./disruption-command.ts";

/** Karpenter: consolidationTTL. */
export const validationDelayMs = 15_000;
/** A proposal that nobody came to carry out for so long is made anew. */
const staleMs = 10 * 60_000;
/** Bound of one key of the state: 500 UIDs are 18 kB. */
export const proposedMax = 500;

export interface Proposal {
  readonly atMs: number;
  /** Whether something comes for the nodes that go; a command of another shape is another command. */
  readonly shape: "delete" | "replace";
  /** UIDs of NodeClaims. */
  readonly claimUids: ReadonlySet<string>;
}

function keyOf(method: DisruptionMethod): string {
  return `${keyFamilies.proposal.prefix}${method}`;
}

/** The proposal of a method that still stands; undefined when there is none. */
export function proposalOf(state: State, method: DisruptionMethod, nowMs: number): Proposal | undefined {
  const match = /^(\d{1,16}) (delete|replace) (\S+)$/.exec(state[keyOf(method)] ?? "");
  const atMs = Number(match?.[1] ?? Number.NaN);
  // A time from the future is a clock that went back.
  if (!Number.isFinite(atMs) || atMs > nowMs || nowMs - atMs > staleMs) return undefined;
  const shape = match?.[2] === "replace" ? "replace" : "delete";
  return { atMs, shape, claimUids: new Set((match?.[3] ?? "").split(",")) };
}

export function isMature(proposal: Proposal, nowMs: number): boolean {
  return nowMs - proposal.atMs >= validationDelayMs;
}

/** Puts `proposal` in the place of the method's, undefined: takes it away. Empty when that changes nothing. */
export function proposalPatches(
  state: State,
  method: DisruptionMethod,
  proposal: Proposal | undefined,
): readonly PatchState[] {
  const value =
    proposal === undefined ? null : `${proposal.atMs} ${proposal.shape} ${[...proposal.claimUids].join(",")}`;
  return statePatches("proposal", state, { [keyOf(method)]: value });
}
