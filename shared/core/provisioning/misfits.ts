/**
 * Pods for which a node was made that turned out too small even when empty: the type was estimated larger than its node
 * reports. Karpenter counterpart: none; it makes such a node again and again. One more attempt is right, since what the
 * node reported is known by then and a larger type may be chosen; when that fails too, no more nodes are made for the pod
 * for a while, and it is told what is missing. What was tried is in the state, because the useless nodes do not stay.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import { parseTime } from "#api/time.ts";
import type { PatchState } from "../command.ts";
import { existingNode } from "../scheduling/nodes/cluster-capacity.ts";
import { expectedPods, podDigest } from "../scheduling/pods/expected-pods.ts";
import { describeAmount } from "../scheduling/resources/amount-text.ts";
import type { Daemon } from "../scheduling/resources/daemon-overhead.ts";
import { podRequests } from "../scheduling/resources/resources.ts";
import { keyFamilies } from "../state/key-families.ts";
import type { StateNode } from "../state/state-node.ts";

/** Nodes made in vain for one pod before it is given up for `restMs`. */
const attemptsMax = 2;
const restMs = 60 * 60_000;
const { prefix, keysMax } = keyFamilies.misfit;

interface Misfit {
  readonly attempts: number;
  /** When the last one was noticed: only a node made after it is another attempt. */
  readonly sinceMs: number;
  readonly untilMs: number;
  /** What the last node lacked. */
  readonly lack: string;
}

export class Misfits {
  readonly #nowMs: number;
  readonly #remembered: ReadonlyMap<string, Misfit>;
  readonly #expired: readonly string[];
  readonly #expecting = new Map<string, StateNode[]>();
  readonly #daemons: readonly Daemon[];

  constructor(
    state: Readonly<Record<string, string>>,
    states: readonly StateNode[],
    daemons: readonly Daemon[],
    nowMs: number,
  ) {
    this.#nowMs = nowMs;
    this.#daemons = daemons;
    const keys = Object.keys(state).filter((key) => key.startsWith(prefix));
    const read = keys.sort().map((key) => [key, readMisfit(state[key])] as const);
    this.#expired = read.flatMap(([key, one]) => (one === undefined || one.untilMs <= nowMs ? [key] : []));
    this.#remembered = new Map(
      read.flatMap(([key, one]) => (one === undefined || one.untilMs <= nowMs ? [] : [[key, one] as const])),
    );
    for (const node of states) {
      if (!node.initialized || node.node === undefined) continue;
      for (const digest of expectedPods(node.claim)) {
        this.#expecting.set(digest, [...(this.#expecting.get(digest) ?? []), node]);
      }
    }
  }

  /** Why no more nodes are made for the pod; undefined for all others. */
  refusalOf(pod: Pod): string | undefined {
    if (this.#remembered.size === 0) return undefined;
    const known = this.#remembered.get(keyOf(pod));
    const now = known !== undefined && known.attempts < attemptsMax ? this.#another(pod, known) : known;
    if (now === undefined || now.attempts < attemptsMax) return undefined;
    const waitMinutes = Math.ceil((now.untilMs - this.#nowMs) / 60_000);
    return `${attemptsMax} nodes were made for it and it fits on none of them, the last: ${now.lack}; no more are made for ${waitMinutes} min`;
  }

  /** What to remember after a look at which `placed` pods got a claim of their own again and `refused` ones did not. */
  patch(placed: readonly Pod[], refused: readonly Pod[]): PatchState["data"] {
    const data: Record<string, string | null> = Object.fromEntries(this.#expired.map((key) => [key, null]));
    if (this.#remembered.size + this.#expecting.size === 0) return data;
    let room = keysMax - this.#remembered.size;
    for (const pod of [...placed, ...refused]) {
      const key = keyOf(pod);
      const known = this.#remembered.get(key);
      const now = this.#another(pod, known);
      if (now === undefined || (known === undefined && room-- <= 0)) continue;
      data[key] = `${now.attempts} ${now.sinceMs} ${now.untilMs} ${now.lack}`;
    }
    return data;
  }

  /** One attempt more than `known`, when a node made since then is too small. */
  #another(pod: Pod, known: Misfit | undefined): Misfit | undefined {
    if (known !== undefined && known.attempts >= attemptsMax) return undefined;
    for (const state of this.#expecting.get(podDigest(pod)) ?? []) {
      const createdMs = parseTime(state.node?.metadata.creationTimestamp) ?? 0;
      const lack = createdMs < (known?.sinceMs ?? 0) ? undefined : this.#lackOf(pod, state);
      if (lack === undefined) continue;
      return { attempts: (known?.attempts ?? 0) + 1, sinceMs: this.#nowMs, untilMs: this.#nowMs + restMs, lack };
    }
    return undefined;
  }

  #lackOf({ spec, status }: Pod, state: StateNode): string | undefined {
    const free = existingNode({ ...state, pods: [] }, this.#daemons)?.free ?? {};
    for (const [name, wanted] of Object.entries(podRequests(spec, status)).sort(([a], [b]) => (a < b ? -1 : 1))) {
      const has = Math.max(0, free[name] ?? 0);
      if (wanted <= has) continue;
      const [asked, given, missing] = [wanted, has, wanted - has].map((amount) => describeAmount(name, amount));
      return `node ${state.name} has ${name} ${given} for pods beside daemons, ${asked} is wanted, ${missing} short`;
    }
    return undefined;
  }
}

function keyOf(pod: Pod): string {
  return `${prefix}${podDigest(pod)}`;
}

function readMisfit(text: string | undefined): Misfit | undefined {
  const match = /^(\d+) (\d+) (\d+) (.*)$/.exec(text ?? "");
  if (match === null) return undefined;
  const [, attempts, sinceMs, untilMs, lack = ""] = match;
  return { attempts: Number(attempts), sinceMs: Number(sinceMs), untilMs: Number(untilMs), lack };
}
