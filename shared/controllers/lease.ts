import type { Fault } from "#core/fault.ts";
import { type Electorate, HeldLease, isRace } from "./held-lease.ts";
import { acquisition, isFree } from "./lease-rules.ts";

/** How often a successor looks whether the Lease is free. */
const pollMs = 250;

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
  const karpenter = await leases.readKarpenter();
  if (karpenter.kind === "failed") return karpenter;
  const alive = karpenter.records.find((record) => !isFree(record, karpenter.serverNowMs));
  if (alive !== undefined) return { kind: "karpenter-alive", holder: alive.holder };
  let asked = false;
  let prepared = false;
  let holder = "";
  // Bounded by the time: each round sleeps, and it is prepared once.
  while (clock.nowMs() < giveUpAtMs) {
    const round = await tryOnce(electorate, me, asked, prepared);
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
