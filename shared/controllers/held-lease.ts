import type { Fault } from "#core/fault.ts";
import type { Clock } from "#ports/clock.ts";
import type { LeaseAnswer, LeaseRecord, Leases } from "#ports/lease.ts";
import { isFree, leaseDurationMs, released, renewEveryMs, renewed } from "./lease-rules.ts";

export interface Electorate {
  readonly leases: Leases;
  readonly clock: Clock;
}

/** A successor's name on it, and an answer that was lost. */
const releaseTriesMax = 3;

/** Somebody wrote it in between: look again. */
export function isRace(fault: Fault): boolean {
  return fault.kind === "conflict" || fault.kind === "already-exists";
}

/**
 * A Lease in our hands. Nothing renews it behind the back of a tick: whoever is about to write asks `mayStart`, which
 * renews when it is time. Kubernetes has no fencing, so a request is only started when the Lease outlasts it by our own
 * clock. Each renewal looks after Karpenter's lease too: one that somebody starts again finds nobody at work after 5 s.
 */
export class HeldLease {
  readonly #electorate: Electorate;
  #record: LeaseRecord;
  /** By our own clock, counted from before the request that renewed it. */
  #validUntilMs: number;
  #renewedAtMs: number;
  /** What to add to our clock for the API server's. */
  #serverOffsetMs: number;
  #asked = false;
  #lost = false;
  /** An in-cluster Karpenter came to life meanwhile: nothing more is begun beside it. */
  #givesWay = false;
  #renewing: Promise<void> | undefined;

  constructor(electorate: Electorate, record: LeaseRecord, sentAtMs: number, serverNowMs: number) {
    this.#electorate = electorate;
    this.#record = record;
    this.#renewedAtMs = sentAtMs;
    this.#validUntilMs = sentAtMs + leaseDurationMs;
    this.#serverOffsetMs = serverNowMs - sentAtMs;
  }

  /** A successor waits, the Lease is another's, or Karpenter is there: finish and leave. */
  mustLeave(): boolean {
    return this.#asked || this.#lost || this.#givesWay;
  }

  /** True when a request that may take `requestMs` can be started now. */
  async mayStart(requestMs: number): Promise<boolean> {
    if (!this.#lost && this.#electorate.clock.nowMs() >= this.#renewedAtMs + renewEveryMs) await this.renew();
    return !this.#lost && !this.#givesWay && this.#validUntilMs - this.#electorate.clock.nowMs() >= requestMs;
  }

  /** Renews, and hears of a successor. Calls at the same time are one. */
  async renew(): Promise<void> {
    this.#renewing ??= this.#renewOnce().finally(() => {
      this.#renewing = undefined;
    });
    await this.#renewing;
  }

  /** Hands it over. What fails here again and again the successor mends by waiting for the expiry. */
  async release(): Promise<void> {
    if (this.#lost) return;
    this.#lost = true;
    const { leases } = this.#electorate;
    for (let tries = 0; tries < releaseTriesMax; tries++) {
      const written = await leases.write(released(this.#record, this.#serverNowMs()), this.#record.version);
      if (written.kind === "read") return;
      // Without an answer it may have been written or not: the version makes a repetition harmless.
      if (written.fault.kind === "unavailable") continue;
      if (!isRace(written.fault)) return;
      // Somebody may have asked since: then the version is another, and the next try has it.
      const seen = await leases.read();
      if (seen.kind === "failed" || seen.record === undefined || seen.record.holder !== this.#record.holder) return;
      this.#record = seen.record;
    }
  }

  async #renewOnce(): Promise<void> {
    const { leases, clock } = this.#electorate;
    // Without an answer it is as it was: Karpenter was not there when the Lease was taken.
    const karpenter = await leases.readKarpenter();
    this.#givesWay ||=
      karpenter.kind === "read" && karpenter.records.some((one) => !isFree(one, karpenter.serverNowMs));
    // Twice: the first may meet a successor's name that was written since.
    for (let tries = 0; tries < 2; tries++) {
      const sentAtMs = clock.nowMs();
      const written = await leases.write(renewed(this.#record, this.#serverNowMs()), this.#record.version);
      if (written.kind === "read") return this.#accept(written, sentAtMs);
      // A failure that is no conflict leaves us what we have, until it runs out.
      if (!isRace(written.fault)) return;
      const seen = await leases.read();
      if (seen.kind === "failed") return;
      if (seen.record?.holder !== this.#record.holder) {
        this.#lost = true;
        return;
      }
      this.#record = seen.record;
      this.#asked ||= seen.record.successor !== "";
    }
  }

  #accept({ record, serverNowMs }: Extract<LeaseAnswer, { kind: "read" }>, sentAtMs: number): void {
    if (record === undefined) return;
    this.#record = record;
    this.#asked ||= record.successor !== "";
    this.#renewedAtMs = sentAtMs;
    this.#validUntilMs = sentAtMs + leaseDurationMs;
    this.#serverOffsetMs = serverNowMs - sentAtMs;
  }

  #serverNowMs(): number {
    return this.#electorate.clock.nowMs() + this.#serverOffsetMs;
  }
}
