/**
 * Karpenter counterpart: none; whoever wants it to rest scales its Deployment to none. Here one key of the state holds
 * the loop: a person's, written by the command line, of no family, so that nothing forgets it. A pause that is over stays
 * written and says nothing: whoever removed it could remove one that was written meanwhile.
 */
import { formatTime, parseTime } from "#api/time.ts";
import { nothing } from "../decision.ts";
import type { Stage } from "../stage.ts";

/** The key. Value: `voluntary` or `all`, and where it ends by itself ` until <RFC 3339>`; anything else counts as none. */
export const pauseKey = "pause";

export interface Pause {
  /** `voluntary`: no node is made for pods, none is taken that works. `all`: ticks look and do nothing. */
  readonly kind: "voluntary" | "all";
  /** When it ends by itself, ms; absent: when somebody ends it. */
  readonly untilMs?: number;
}

/** The pause that holds now. A time that cannot be read is none: it holds until somebody ends it. */
export function pauseOf(state: Readonly<Record<string, string>>, nowMs: number): Pause | undefined {
  const [, kind, until = ""] = /^(voluntary|all)(?: until (\S+))?$/.exec(state[pauseKey]?.trim() ?? "") ?? [];
  if (kind !== "voluntary" && kind !== "all") return undefined;
  const untilMs = parseTime(until);
  if (untilMs === undefined) return { kind };
  return nowMs < untilMs ? { kind, untilMs } : undefined;
}

export function pauseValue({ kind, untilMs }: Pause): string {
  return untilMs === undefined ? kind : `${kind} until ${formatTime(untilMs)}`;
}

/** Everything is paused: ticks look and do nothing, no launch, no disruption, no drain, no collection. */
export function isPaused(state: Readonly<Record<string, string>>, nowMs: number): boolean {
  return pauseOf(state, nowMs)?.kind === "all";
}

/** For people, without a full stop. */
export function pauseText({ kind, untilMs }: Pause): string {
  const until = untilMs === undefined ? "" : ` until ${formatTime(untilMs)}`;
  const held =
    kind === "all"
      ? "nothing at all is done"
      : "no node is made for pods, and none is taken by consolidation, drift, expiry, off-hours or repair";
  return `Outrigger is paused${until}: ${held}; outrigger resume ends it`;
}

/** A stage that makes nodes, or takes some that work, does nothing during a pause; the stage `paused` says so. */
export function unlessPaused<View>({ name, decide }: Stage<View>): Stage<View> {
  return {
    name,
    decide: (snapshot) => (pauseOf(snapshot.cluster.state, snapshot.nowMs) === undefined ? decide(snapshot) : nothing),
  };
}
