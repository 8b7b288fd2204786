/**
 * Karpenter counterpart: controller-runtime's leader election. It differs: the one who waits says so on the Lease, and
 * the holder hands it over after its writes, so that nothing waits for an expiry; and expiry is judged by the API
 * server's clock alone.
 */
import type { LeaseRecord } from "#ports/lease.ts";

/** Longer than the longest write with all its repetitions, and short after a crash. */
export const leaseDurationMs = 15_000;
/** Three renewals may fail before the Lease is lost. */
export const renewEveryMs = 5_000;

export type Acquisition =
  /** Write this: it is free, expired or ours already. */
  | { readonly kind: "take"; readonly next: Omit<LeaseRecord, "version"> }
  /** Write this: it is held by somebody, who shall know that we wait. */
  | { readonly kind: "ask"; readonly next: Omit<LeaseRecord, "version"> }
  /** We have asked. */
  | { readonly kind: "wait" }
  /** Somebody asked after us: one successor is enough. */
  | { readonly kind: "yield" };

/** What `me` does about a Lease that it does not hold. `asked`: it has written its name as the successor before. */
export function acquisition(
  record: LeaseRecord | undefined,
  me: string,
  asked: boolean,
  serverNowMs: number,
): Acquisition {
  if (record !== undefined && asked && record.successor !== me && record.successor !== "") return { kind: "yield" };
  if (record === undefined || isFree(record, serverNowMs) || record.holder === me) {
    return { kind: "take", next: taken(record, me, serverNowMs) };
  }
  if (record.successor === me) return { kind: "wait" };
  const { version: _, ...held } = record;
  return { kind: "ask", next: { ...held, successor: me } };
}

/** Nobody holds it, or the holder has not renewed it in time. */
export function isFree({ holder, renewedAtMs, durationMs }: LeaseRecord, serverNowMs: number): boolean {
  return holder === "" || renewedAtMs + durationMs < serverNowMs;
}

export function renewed(record: LeaseRecord, serverNowMs: number): Omit<LeaseRecord, "version"> {
  const { version: _, ...held } = record;
  return { ...held, renewedAtMs: serverNowMs, durationMs: leaseDurationMs };
}

/** The successor keeps its name on it: whoever it is takes it next. */
export function released(record: LeaseRecord, serverNowMs: number): Omit<LeaseRecord, "version"> {
  const { version: _, ...held } = record;
  return { ...held, holder: "", renewedAtMs: serverNowMs };
}

function taken(record: LeaseRecord | undefined, me: string, serverNowMs: number): Omit<LeaseRecord, "version"> {
  const changesHands = record !== undefined && record.holder !== me;
  return {
    holder: me,
    successor: "",
    renewedAtMs: serverNowMs,
    durationMs: leaseDurationMs,
    transitions: (record?.transitions ?? 0) + (changesHands ? 1 : 0),
  };
}
