/**
 * Karpenter counterpart: pkg/cache/unavailableofferings.go of its AWS provider, an in-memory cache of three minutes.
 * It differs: the facts are keys of the state ConfigMap, one an offering, so that every invocation knows them, and the
 * time doubles each time an offering fails again soon after (users asked: one impossible type must not be asked for
 * thousands of times).
 */
import type { PatchState } from "../command.ts";
import { byText } from "../order.ts";
import { keyFamilies } from "./key-families.ts";
import { type State, statePatches } from "./state-patch.ts";

/** Karpenter: UnavailableOfferingsTTL. */
const firstMs = 3 * 60_000;
const longestMs = 60 * 60_000;
const { prefix } = keyFamilies.unavailable;

export interface OfferingName {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
}

interface Unavailability {
  readonly untilMs: number;
  /** How long it lasts; the next one is twice as long when it follows within the same time. */
  readonly forMs: number;
}

export function keyOfOffering(offering: OfferingName): string {
  return `${prefix}${offering.capacityType}.${offering.instanceType}.${offering.zone}`;
}

function read(text: string | undefined): Unavailability | undefined {
  const match = /^(\d+) (\d+)$/.exec(text ?? "");
  return match === null ? undefined : { untilMs: Number(match[1]), forMs: Number(match[2]) };
}

export function isUnavailable(state: State, offering: OfferingName, nowMs: number): boolean {
  const known = read(state[keyOfOffering(offering)]);
  return known !== undefined && known.untilMs > nowMs;
}

/** Keys of all offerings that are unavailable now, sorted: equal lists mean that isUnavailable answers alike. */
export function unavailableOfferings(state: State, nowMs: number): readonly string[] {
  return Object.keys(state)
    .filter((key) => key.startsWith(prefix) && (read(state[key])?.untilMs ?? 0) > nowMs)
    .sort(byText);
}

/** The instance types of all offerings that are unavailable now: isUnavailable is false for every other type. */
export function unavailableTypes(state: State, nowMs: number): ReadonlySet<string> {
  // Capacity types and zones have no dot in them; instance types have one.
  const types = unavailableOfferings(state, nowMs).map((key) => key.slice(prefix.length).split(".").slice(1, -1));
  return new Set(types.map((parts) => parts.join(".")));
}

/**
 * Offerings that may be asked for again and whose last refusal was not long ago: when it ended, ms, by key. A refusal now
 * would be the next in a row.
 */
export function refusedLately(state: State, nowMs: number): ReadonlyMap<string, number> {
  return new Map(
    Object.entries(state).flatMap(([key, value]) => {
      const known = key.startsWith(prefix) ? read(value) : undefined;
      const isLately = known !== undefined && known.untilMs <= nowMs && nowMs < known.untilMs + known.forMs;
      return isLately ? [[key, known.untilMs] as const] : [];
    }),
  );
}

/** Marks the offerings from now on, each once however often it is named. */
export function markUnavailable(
  state: State,
  offerings: readonly OfferingName[],
  nowMs: number,
): readonly PatchState[] {
  const keys = [...new Set(offerings.map(keyOfOffering))].sort(byText);
  return statePatches(
    "unavailable",
    state,
    Object.fromEntries(keys.map((key) => [key, next(read(state[key]), nowMs)])),
  );
}

function next(before: Unavailability | undefined, nowMs: number): string {
  const again = before !== undefined && nowMs < before.untilMs + before.forMs;
  const forMs = again ? Math.min(before.forMs * 2, longestMs) : firstMs;
  return `${nowMs + forMs} ${forMs}`;
}
