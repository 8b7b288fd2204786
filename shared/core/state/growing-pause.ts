/** Karpenter counterpart: none; its caches have one lifetime. Here what fails again soon after its pause rests longer. */
import type { PatchState } from "../command.ts";
import type { KeyFamilyName } from "./key-families.ts";
import { type State, statePatches } from "./state-patch.ts";

/** In the state's texts: `<until ms> <for ms>`. */
export interface GrowingPause {
  readonly untilMs: number;
  /** How long it lasts; the next one is twice as long when it follows within the same time. */
  readonly forMs: number;
}

export function readPause(text: string | undefined): GrowingPause | undefined {
  const match = /^(\d{1,16}) (\d{1,16})$/.exec(text ?? "");
  return match === null ? undefined : { untilMs: Number(match[1]), forMs: Number(match[2]) };
}

export interface PauseBounds {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Keys of one family: what `failed` stand for rests from now on, of `cured`, which are others, nothing is held any more. */
export function pausePatches(
  family: KeyFamilyName,
  state: State,
  { failed, cured = [] }: { readonly failed: readonly string[]; readonly cured?: readonly string[] },
  bounds: PauseBounds,
  nowMs: number,
): readonly PatchState[] {
  const ends = cured.map((key) => [key, null] as const);
  const pauses = failed.map((key) => [key, nextPause(state[key], bounds, nowMs)] as const);
  return statePatches(family, state, Object.fromEntries([...ends, ...pauses]));
}

/** The text of the pause that begins now. */
function nextPause(text: string | undefined, bounds: PauseBounds, nowMs: number): string {
  const before = readPause(text);
  const again = before !== undefined && nowMs < before.untilMs + before.forMs;
  const forMs = again ? Math.min(before.forMs * 2, bounds.longestMs) : bounds.firstMs;
  return `${nowMs + forMs} ${forMs}`;
}
