/**
 * Karpenter counterpart: the rate limiter of its eviction queue (100 ms to 10 s, in memory). It differs: refusals of a
 * node's pods are one key of the state ConfigMap, and the pause grows to a minute, so that a pod that no budget will
 * ever let go keeps no invocation awake.
 */
import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import type { PatchState } from "../command.ts";

const firstPauseMs = 5_000;
/** From here on the minute's own tick retries. */
const longestPauseMs = 60_000;
const prefix = "eviction.";

export interface Refusals {
  readonly untilMs: number;
  readonly pauseMs: number;
  /** UIDs of the pods whose eviction was refused. */
  readonly podUids: ReadonlySet<string>;
}

export function evictionKey(node: Node): string {
  return `${prefix}${node.metadata.uid ?? node.metadata.name}`;
}

/** What was refused on this node lately; undefined when nothing was. */
export function refusalsOf(state: Readonly<Record<string, string>>, node: Node): Refusals | undefined {
  const match = /^(\d{1,16}) (\d{1,9}) (\S+)$/.exec(state[evictionKey(node)] ?? "");
  if (match === null) return undefined;
  return {
    untilMs: Number(match[1]),
    pauseMs: Number(match[2]),
    podUids: new Set((match[3] ?? "").split(",")),
  };
}

export function mayEvict(pod: Pod, refusals: Refusals | undefined, nowMs: number): boolean {
  return refusals === undefined || nowMs >= refusals.untilMs || !refusals.podUids.has(pod.metadata.uid ?? "");
}

/** When a tick should be made for the next try; undefined when the minute's own tick is soon enough. */
export function retryAtMs(refusals: Refusals): number | undefined {
  return refusals.pauseMs < longestPauseMs ? refusals.untilMs : undefined;
}

/** After a round in which `refused` were refused. Pods still pausing stay in the list while they are there. */
export function refusalPatch(
  state: Readonly<Record<string, string>>,
  node: Node,
  refused: readonly string[],
  present: ReadonlySet<string>,
  nowMs: number,
): PatchState | undefined {
  const key = evictionKey(node);
  const before = refusalsOf(state, node);
  if (refused.length === 0) {
    const isOver = before === undefined || ![...before.podUids].some((uid) => present.has(uid));
    return isOver && state[key] !== undefined ? { kind: "patch-state", key, value: null } : undefined;
  }
  const repeated = refused.some((uid) => before?.podUids.has(uid) ?? false);
  const pauseMs = repeated && before !== undefined ? Math.min(before.pauseMs * 2, longestPauseMs) : firstPauseMs;
  const pausing = [...(before?.podUids ?? [])].filter((uid) => present.has(uid));
  const podUids = [...new Set([...pausing, ...refused])].sort();
  return { kind: "patch-state", key, value: `${nowMs + pauseMs} ${pauseMs} ${podUids.join(",")}` };
}

/** Keys of nodes that do not exist any more. */
export function orphanedRefusals(
  state: Readonly<Record<string, string>>,
  nodes: readonly Node[],
): readonly PatchState[] {
  const known = new Set(nodes.map(evictionKey));
  return Object.keys(state)
    .filter((key) => key.startsWith(prefix) && !known.has(key))
    .sort()
    .map((key) => ({ kind: "patch-state", key, value: null }));
}
