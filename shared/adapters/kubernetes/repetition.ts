import type { Answered, Broken } from "./exchange.ts";

/** Busy answers (429) that are waited for, and how long at most. */
const busyTriesMax = 3;
const busyWaitMsMax = 5_000;
/**
 * An API server that has just started knows nobody's roles and refuses everybody, for a second or two: pauses after
 * which a refusal (403) is asked about again.
 */
const refusedWaitsMs: readonly number[] = [250, 500, 1_000, 2_000];
/**
 * Nobody listens where the API server should: it restarts, or its address changes. Pauses after which it is looked for
 * again; some 20 s, as long as a restart takes.
 */
const unreachedWaitsMs: readonly number[] = [250, 500, 1_000, 2_000, 4_000, 4_000, 4_000, 4_000];
/** By so much such a pause is shorter or longer, so that those who wait do not come back together. */
const unreachedJitter = 0.25;

/** How often a call was repeated, by cause. */
export interface Tries {
  readonly renewed: number;
  readonly dead: number;
  readonly busy: number;
  readonly refused: number;
  readonly unreached: number;
}

export const noTries: Tries = { renewed: 0, dead: 0, busy: 0, refused: 0, unreached: 0 };

export interface Patience {
  /** False: a 429 means something else than a busy server (eviction). */
  readonly whenBusy: boolean;
  /** False: it is known that a 403 means a missing right. */
  readonly whenRefused: boolean;
  /** False: a person waits for the answer, and would rather hear at once that nobody listens. */
  readonly whenUnreached: boolean;
}

export interface Again {
  readonly because: keyof Tries;
  readonly waitMs: number;
}

/**
 * Why and when a call is sent once more; undefined: this answer is the last. Each cause has its own bound. `chance`:
 * 0…1, drawn anew for each call.
 */
export function againAfter(
  answer: Answered | Broken,
  tries: Tries,
  { whenBusy, whenRefused, whenUnreached }: Patience,
  chance: number,
): Again | undefined {
  if (answer.kind === "broken") return againAfterBroken(answer, tries, whenUnreached, chance);
  switch (answer.status) {
    case 401:
      return tries.renewed < 1 ? { because: "renewed", waitMs: 0 } : undefined;
    case 403: {
      const waitMs = whenRefused ? refusedWaitsMs[tries.refused] : undefined;
      return waitMs === undefined ? undefined : { because: "refused", waitMs };
    }
    case 429: {
      const waitMs = Math.min(answer.retryAfterMs ?? 1_000, busyWaitMsMax);
      return whenBusy && tries.busy < busyTriesMax ? { because: "busy", waitMs } : undefined;
    }
    default:
      return undefined;
  }
}

function againAfterBroken({ code }: Broken, tries: Tries, whenUnreached: boolean, chance: number): Again | undefined {
  if (isDeadSocket(code)) return tries.dead < 1 ? { because: "dead", waitMs: 0 } : undefined;
  const pauseMs = whenUnreached && isUnreached(code) ? unreachedWaitsMs[tries.unreached] : undefined;
  if (pauseMs === undefined) return undefined;
  return { because: "unreached", waitMs: Math.round(pauseMs * (1 + unreachedJitter * (2 * chance - 1))) };
}

/**
 * The connection was closed under the request: by a load balancer that tired of it, by a freeze of the function, by a
 * restart. Not a time limit: the server may be at work on that request, and the time is up.
 */
function isDeadSocket(code: string): boolean {
  return code === "ECONNRESET" || code === "EPIPE" || code === "ECONNABORTED";
}

/** No connection came about, so nothing was sent: refused, no way there, or its name is not known for the moment. */
export function isUnreached(code: string): boolean {
  return code === "ECONNREFUSED" || code === "EHOSTUNREACH" || code === "ENETUNREACH" || code === "EAI_AGAIN";
}
