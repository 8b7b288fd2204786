/**
 * Karpenter counterpart: pkg/state/nodepoolhealth and pkg/controllers/nodepool/registrationhealth, a ring buffer in
 * memory. It differs: the outcomes of the last four registrations of a pool are a key of the state ConfigMap, and the
 * condition follows from them at any time.
 */
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import type { PatchState } from "../command.ts";
import { conditionMessageMax, shortened } from "../message.ts";
import { keyFamilies } from "./key-families.ts";
import { type State, statePatches } from "./state-patch.ts";

/** Karpenter: the buffer's size, and the share of failures from which on a pool is unhealthy. */
const remembered = 4;
const failuresMax = 1;

export type RegistrationOutcome =
  | { readonly kind: "registered" }
  | { readonly kind: "failed"; readonly reason: string; readonly message: string };

export interface RegistrationHealth {
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
}

function keyOf(nodePool: NodePool): string {
  return `${keyFamilies.registration.prefix}${nodePool.metadata.uid ?? nodePool.metadata.name}`;
}

export interface PoolOutcomes {
  readonly nodePool: NodePool;
  /** The newest last. */
  readonly outcomes: readonly RegistrationOutcome[];
}

/** The patch that remembers what became of these pools' registrations. */
export function rememberOutcomes(state: State, pools: readonly PoolOutcomes[]): readonly PatchState[] {
  const data = pools
    .filter(({ outcomes }) => outcomes.length > 0)
    .map(({ nodePool, outcomes }) => {
      const key = keyOf(nodePool);
      return [key, textAfter(read(state[key]), outcomes)];
    });
  return statePatches("registration", state, Object.fromEntries(data));
}

/** A changed pool begins anew. */
export function forgetOutcomes(state: State, nodePools: readonly NodePool[]): readonly PatchState[] {
  return statePatches("registration", state, Object.fromEntries(nodePools.map((nodePool) => [keyOf(nodePool), null])));
}

export function hasOutcomes(state: State, nodePool: NodePool): boolean {
  return state[keyOf(nodePool)] !== undefined;
}

/** What the remembered outcomes say of the pool. */
export function registrationHealth(state: State, nodePool: NodePool): RegistrationHealth {
  const { outcomes, reason, message } = read(state[keyOf(nodePool)]);
  if (outcomes.filter((outcome) => outcome === "F").length > failuresMax) return { status: "False", reason, message };
  return { status: outcomes.includes("S") ? "True" : "Unknown" };
}

interface Remembered {
  readonly outcomes: readonly string[];
  /** Of the last failure. */
  readonly reason: string;
  readonly message: string;
}

function textAfter(before: Remembered, news: readonly RegistrationOutcome[]): string {
  const outcomes = [...before.outcomes, ...news.map(({ kind }) => (kind === "failed" ? "F" : "S"))].slice(-remembered);
  const failure = news.findLast((outcome) => outcome.kind === "failed") ?? before;
  const message = shortened(failure.message, conditionMessageMax).replaceAll("\n", " ");
  return `${outcomes.join("")} ${failure.reason} ${message}`.trimEnd();
}

function read(text: string | undefined): Remembered {
  const match = /^([SF]{1,4})(?: (\S+)(?: (.*))?)?$/.exec(text ?? "");
  return {
    outcomes: [...(match?.[1] ?? "")],
    reason: match?.[2] ?? "RegistrationFailed",
    message: match?.[3] ?? "",
  };
}
