/**
 * Karpenter counterpart: pkg/cache/unavailableofferings.go of its AWS provider, an in-memory cache of three minutes.
 * It differs: the facts are keys of the state ConfigMap, one an offering, so that every invocation knows them, and the
 * rest doubles each time an offering fails again soon after (users asked: one impossible type must not be asked for
 * thousands of times).
 */
import type { PatchState } from "../command.ts";

/** Karpenter: UnavailableOfferingsTTL. */
const firstRestMs = 3 * 60_000;
const longestRestMs = 60 * 60_000;

export interface OfferingName {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
}

interface Rest {
  readonly untilMs: number;
  /** How long this rest is; the next one is twice as long when it follows within the same time. */
  readonly restMs: number;
}

function keyOf(offering: OfferingName): string {
  return `unavailable.${offering.capacityType}.${offering.instanceType}.${offering.zone}`;
}

function readRest(text: string | undefined): Rest | undefined {
  const match = /^(\d+) (\d+)$/.exec(text ?? "");
  return match === null ? undefined : { untilMs: Number(match[1]), restMs: Number(match[2]) };
}

export function isUnavailable(state: Readonly<Record<string, string>>, offering: OfferingName, nowMs: number): boolean {
  const rest = readRest(state[keyOf(offering)]);
  return rest !== undefined && rest.untilMs > nowMs;
}

/** Names of all offerings that rest now, sorted: equal lists mean that isUnavailable answers alike. */
export function restingOfferings(state: Readonly<Record<string, string>>, nowMs: number): readonly string[] {
  return Object.keys(state)
    .filter((key) => key.startsWith("unavailable.") && (readRest(state[key])?.untilMs ?? 0) > nowMs)
    .sort();
}

/** The patch that lets `offering` rest from now on. */
export function restOffering(
  state: Readonly<Record<string, string>>,
  offering: OfferingName,
  nowMs: number,
): PatchState {
  const key = keyOf(offering);
  const before = readRest(state[key]);
  const again = before !== undefined && nowMs < before.untilMs + before.restMs;
  const restMs = again ? Math.min(before.restMs * 2, longestRestMs) : firstRestMs;
  return { kind: "patch-state", key, value: `${nowMs + restMs} ${restMs}` };
}

/** Patches that remove facts which no longer say anything. */
export function expiredRests(state: Readonly<Record<string, string>>, nowMs: number): readonly PatchState[] {
  return Object.keys(state)
    .filter((key) => key.startsWith("unavailable."))
    .filter((key) => {
      const rest = readRest(state[key]);
      return rest === undefined || nowMs > rest.untilMs + rest.restMs;
    })
    .sort()
    .map((key) => ({ kind: "patch-state", key, value: null }));
}
