import type { Answered, Broken } from "./exchange.ts";

/** Busy answers (429) that are waited for, and how long at most. */
const busyTriesMax = 3;
const busyWaitMsMax = 5_000;
/**
 * An API server that has just started knows nobody's roles and refuses everybody, for a second or two: pauses after
 * which a refusal (403) is asked about again.
 */
const refusedWaitsMs: readonly number[] = [250, 500, 1_000, 2_000];

/** How often a call was repeated, by cause. */
export interface Tries {
  readonly renewed: number;
  readonly dead: number;
  readonly busy: number;
  readonly refused: number;
}

export const noTries: Tries = { renewed: 0, dead: 0, busy: 0, refused: 0 };

export interface Patience {
  /** False: a 429 means something else than a busy server (eviction). */
  readonly whenBusy: boolean;
  /** False: it is known that a 403 means a missing right. */
  readonly whenRefused: boolean;
}

/** Why and when a call is sent once more; undefined: this answer is the last. Each cause has its own bound. */
export function againAfter(
  answer: Answered | Broken,
  tries: Tries,
  { whenBusy, whenRefused }: Patience,
): { readonly because: keyof Tries; readonly waitMs: number } | undefined {
  if (answer.kind === "broken") {
    return isDeadSocket(answer.code) && tries.dead < 1 ? { because: "dead", waitMs: 0 } : undefined;
  }
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

/**
 * The connection was closed under the request: by a load balancer that tired of it, by a freeze of the function, by a
 * restart. Not a time limit: the server may be at work on that request, and the time is up.
 */
function isDeadSocket(code: string): boolean {
  return code === "ECONNRESET" || code === "EPIPE" || code === "ECONNABORTED";
}
