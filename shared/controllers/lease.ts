import type { Fault } from "#core/fault.ts";
import type { Clock } from "#ports/clock.ts";
import { type Electorate, HeldLease, isRace } from "./held-lease.ts";
import { acquisition, isFree } from "./lease-rules.ts";

/**
 * How often a successor looks whether the Lease is free: a pod may wait for it. A handover, one in some minutes, costs
 * ten reads of the Lease for each second that the holder takes to finish.
 */
const pollMs = 100;
/** How long a pause is after an API server did not answer; the transport has tried again by itself meanwhile. */
const unansweredPauseMs = 1_000;

export type LeaseResult =
  | { readonly kind: "held"; readonly lease: HeldLease }
  /** An in-cluster Karpenter is alive: Outrigger must not act beside it. */
  | { readonly kind: "karpenter-alive"; readonly holder: string }
  /** Another invocation holds it and does not let go in time, or a newer one waits for it. */
  | { readonly kind: "busy"; readonly holder: string }
  | { readonly kind: "failed"; readonly fault: Fault };

/**
 * Takes the Lease as `me`, asks for it while another holds it, and gives up at `giveUpAtMs`. `prepare` is what can be
 * done before asking: the holder goes on meanwhile.
 */
export async function acquireLease(
  electorate: Electorate,
  me: string,
  giveUpAtMs: number,
  prepare: () => Promise<void> = async () => {},
): Promise<LeaseResult> {
  const { leases, clock } = electorate;
  const karpenter = await answered(leases.readKarpenter, clock, giveUpAtMs);
  if (karpenter.kind === "failed") return karpenter;
  const alive = karpenter.records.find((record) => !isFree(record, karpenter.serverNowMs));
  if (alive !== undefined) return { kind: "karpenter-alive", holder: alive.holder };
  let asked = false;
  let prepared = false;
  let holder = "";
  // Bounded by the time: each round sleeps, and it is prepared once.
  while (clock.nowMs() < giveUpAtMs) {
    const round = await answered(() => tryOnce(electorate, me, asked, prepared), clock, giveUpAtMs);
    if (round.kind === "prepare") {
      await prepare();
      prepared = true;
      continue;
    }
    if (round.kind !== "again") return round;
    ({ asked, holder } = round);
    await clock.sleepUntil(Math.min(clock.nowMs() + pollMs, giveUpAtMs));
  }
  return { kind: "busy", holder };
}

/** Asks again while an API server that restarts gives no answer; whatever is asked for may be asked twice. */
async function answered<T extends { readonly kind: string }>(
  ask: () => Promise<T | Unanswered>,
  clock: Clock,
  giveUpAtMs: number,
): Promise<T | Unanswered> {
  for (;;) {
    const answer = await ask();
    const isUnanswered = isFailed(answer) && answer.fault.kind === "unavailable";
    if (!isUnanswered || clock.nowMs() + unansweredPauseMs >= giveUpAtMs) return answer;
    await clock.sleepUntil(clock.nowMs() + unansweredPauseMs);
  }
}

type Unanswered = { readonly kind: "failed"; readonly fault: Fault };

function isFailed(answer: { readonly kind: string }): answer is Unanswered {
  return answer.kind === "failed";
}

type Again = { readonly kind: "again"; readonly asked: boolean; readonly holder: string };

async function tryOnce(
  electorate: Electorate,
  me: string,
  asked: boolean,
  prepared: boolean,
): Promise<LeaseResult | Again | { readonly kind: "prepare" }> {
  const { leases, clock } = electorate;
  const sentAtMs = clock.nowMs();
  const seen = await leases.read();
  if (seen.kind === "failed") return seen;
  const holder = seen.record?.holder ?? "";
  const step = acquisition(seen.record, me, asked, seen.serverNowMs);
  if (step.kind === "yield") return { kind: "busy", holder };
  if (step.kind === "ask" && !prepared) return { kind: "prepare" };
  if (step.kind === "wait") return { kind: "again", asked, holder };
  const written = await leases.write(step.next, seen.record?.version);
  if (written.kind === "failed") return isRace(written.fault) ? { kind: "again", asked, holder } : written;
  if (step.kind === "ask" || written.record === undefined) return { kind: "again", asked: true, holder };
  return { kind: "held", lease: new HeldLease(electorate, written.record, sentAtMs, written.serverNowMs) };
}
