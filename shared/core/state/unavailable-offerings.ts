/**
 * Karpenter counterpart: pkg/cache/unavailableofferings.go of its AWS provider, an in-memory cache of three minutes.
 * It differs: the facts are keys of the state ConfigMap, one an offering, so that every invocation knows them, and the
 * time doubles each time an offering fails again soon after (users asked: one impossible type must not be asked for
 * thousands of times).
 */
import type { PatchState } from "../command.ts";
import { byText } from "../order.ts";
import { pausePatches, readPause } from "./growing-pause.ts";
import { keyFamilies } from "./key-families.ts";
import type { State } from "./state-patch.ts";

/** Karpenter: UnavailableOfferingsTTL. */
const bounds = { firstMs: 3 * 60_000, longestMs: 60 * 60_000 };
const { prefix } = keyFamilies.unavailable;

export interface OfferingName {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
}

export function keyOfOffering(offering: OfferingName): string {
  return `${prefix}${offering.capacityType}.${offering.instanceType}.${offering.zone}`;
}

export function isUnavailable(state: State, offering: OfferingName, nowMs: number): boolean {
  const known = readPause(state[keyOfOffering(offering)]);
  return known !== undefined && known.untilMs > nowMs;
}

/** Keys of all offerings and subnets that are unavailable now, sorted: equal lists mean equal answers. */
export function unavailableOfferings(state: State, nowMs: number): readonly string[] {
  return Object.keys(state)
    .filter((key) => key.startsWith(prefix) && (readPause(state[key])?.untilMs ?? 0) > nowMs)
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
      const known = key.startsWith(prefix) ? readPause(value) : undefined;
      const isLately = known !== undefined && known.untilMs <= nowMs && nowMs < known.untilMs + known.forMs;
      return isLately ? [[key, known.untilMs] as const] : [];
    }),
  );
}

/** Marks offerings and full subnets from now on, each once however often it is named. */
export function markUnavailable(
  state: State,
  offerings: readonly OfferingName[],
  nowMs: number,
  fullSubnets: readonly string[] = [],
): readonly PatchState[] {
  const keys = [...new Set([...offerings.map(keyOfOffering), ...fullSubnets.map(subnetKey)])].sort(byText);
  return pausePatches("unavailable", state, { failed: keys }, bounds, nowMs);
}

/** A subnet without a free address: nothing can be launched there, whatever it is. */
export function isSubnetFull(state: State, subnetId: string, nowMs: number): boolean {
  return (readPause(state[subnetKey(subnetId)])?.untilMs ?? 0) > nowMs;
}

function subnetKey(subnetId: string): string {
  return `${prefix}subnet.${subnetId}`;
}
