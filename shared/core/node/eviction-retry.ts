/**
 * Karpenter counterpart: the rate limiter of its eviction queue (100 ms to 10 s, in memory). It differs: refusals of a
 * node's pods are one key of the state ConfigMap, and the pause grows to a minute while none of them goes, so that a pod
 * that no budget will ever let go keeps no invocation awake.
 */
import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import { byText } from "../order.ts";
import { stableHash } from "../stable-hash.ts";
import { keyFamilies } from "../state/key-families.ts";
import type { State } from "../state/state-patch.ts";

const firstPauseMs = 5_000;
/** From here on the minute's own tick retries. */
const longestPauseMs = 60_000;
/** Bound of one key; of more pods than these none is told apart, and all of the node's pause. */
const podsMax = 50;
const everyPod = "*";

export interface Refusals {
  readonly untilMs: number;
  readonly pauseMs: number;
  /** Digests of the pods whose eviction was refused, or `*` for all of the node's. */
  readonly pods: ReadonlySet<string>;
}

export function evictionKey(node: Node): string {
  return `${keyFamilies.eviction.prefix}${node.metadata.uid ?? node.metadata.name}`;
}

/** What was refused on this node lately; undefined when nothing was. */
export function refusalsOf(state: State, node: Node): Refusals | undefined {
  return read(state[evictionKey(node)]);
}

export function isRefused(pod: Pod, refusals: Refusals | undefined): boolean {
  return refusals !== undefined && (refusals.pods.has(everyPod) || refusals.pods.has(digestOf(pod)));
}

export function mayEvict(pod: Pod, refusals: Refusals | undefined, nowMs: number): boolean {
  return refusals === undefined || nowMs >= refusals.untilMs || !isRefused(pod, refusals);
}

/** When a tick should be made for the next try; undefined when the minute's own tick is soon enough. */
export function retryAtMs(refusals: Refusals): number | undefined {
  return refusals.pauseMs < longestPauseMs ? refusals.untilMs : undefined;
}

export interface EvictionRound {
  readonly refused: readonly Pod[];
  /** All of the node's. */
  readonly present: readonly Pod[];
  /** The budget moves, or the machine's end is near: the next try comes soon, whatever was refused before. */
  readonly isHurried: boolean;
}

/** What is to be remembered of a node after a round; undefined when there is nothing. */
export function refusalsAfter(
  before: Refusals | undefined,
  { refused, present, isHurried }: EvictionRound,
  nowMs: number,
): Refusals | undefined {
  if (refused.length === 0) return present.some((pod) => isRefused(pod, before)) ? before : undefined;
  const repeated = before !== undefined && !isHurried && refused.some((pod) => isRefused(pod, before));
  const pauseMs = repeated ? Math.min(before.pauseMs * 2, longestPauseMs) : firstPauseMs;
  // Pods that pause still stay in the list while they are there.
  const pausing = [...present.filter((pod) => isRefused(pod, before)), ...refused];
  return { untilMs: nowMs + pauseMs, pauseMs, pods: new Set(pausing.map(digestOf)) };
}

export function refusalsText({ untilMs, pauseMs, pods }: Refusals): string {
  const list = pods.size > podsMax ? everyPod : [...pods].sort(byText).join(",");
  return `${untilMs} ${pauseMs} ${list}`;
}

function read(text: string | undefined): Refusals | undefined {
  const match = /^(\d{1,16}) (\d{1,9}) (\S+)$/.exec(text ?? "");
  if (match === null) return undefined;
  return { untilMs: Number(match[1]), pauseMs: Number(match[2]), pods: new Set((match[3] ?? "").split(",")) };
}

/** Eight characters instead of the UID's 36: two pods of one node that share a digest pause together. */
function digestOf({ metadata }: Pod): string {
  return stableHash(metadata.uid ?? `${metadata.namespace}/${metadata.name}`, 8);
}
