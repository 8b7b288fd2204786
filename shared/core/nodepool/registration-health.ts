/**
 * Karpenter counterpart: pkg/state/nodepoolhealth and pkg/controllers/nodepool/registrationhealth, a ring buffer in
 * memory. It differs: the outcomes of the last four registrations of a pool are a key of the state ConfigMap, and the
 * condition follows from them at any time.
 */
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import type { PatchState } from "../command.ts";

/** Karpenter: the buffer's size, and the share of failures from which on a pool is unhealthy. */
const remembered = 4;
const failuresMax = 1;
const prefix = "registration.";
const messageCharactersMax = 300;

export type RegistrationOutcome =
  | { readonly kind: "registered" }
  | { readonly kind: "failed"; readonly reason: string; readonly message: string };

export interface RegistrationHealth {
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
}

export function registrationHealthKey(nodePool: NodePool): string {
  return `${prefix}${nodePool.metadata.uid ?? nodePool.metadata.name}`;
}

/** Keys of pools that do not exist any more. */
export function orphanedHealth(
  state: Readonly<Record<string, string>>,
  nodePools: readonly NodePool[],
): readonly PatchState[] {
  const known = new Set(nodePools.map(registrationHealthKey));
  return Object.keys(state)
    .filter((key) => key.startsWith(prefix) && !known.has(key))
    .sort()
    .map((key) => ({ kind: "patch-state", key, value: null }));
}

/** A claim counts for the pool that made it, not for one that took its name later. */
export function isOwnedBy(claim: NodeClaim, nodePool: NodePool): boolean {
  return (claim.metadata.ownerReferences ?? []).some((owner) => owner.uid === nodePool.metadata.uid);
}

/** The patch that remembers `outcomes`, the newest last. */
export function rememberOutcomes(
  state: Readonly<Record<string, string>>,
  nodePool: NodePool,
  outcomes: readonly RegistrationOutcome[],
): PatchState {
  const key = registrationHealthKey(nodePool);
  const before = read(state[key]);
  const all = [...before.outcomes, ...outcomes.map(({ kind }) => (kind === "failed" ? "F" : "S"))].slice(-remembered);
  const failure = outcomes.findLast((outcome) => outcome.kind === "failed") ?? before;
  const message = failure.message.slice(0, messageCharactersMax).replaceAll("\n", " ");
  return { kind: "patch-state", key, value: `${all.join("")} ${failure.reason} ${message}`.trimEnd() };
}

/** What the remembered outcomes say of the pool. */
export function registrationHealth(state: Readonly<Record<string, string>>, nodePool: NodePool): RegistrationHealth {
  const { outcomes, reason, message } = read(state[registrationHealthKey(nodePool)]);
  if (outcomes.filter((outcome) => outcome === "F").length > failuresMax) return { status: "False", reason, message };
  return { status: outcomes.includes("S") ? "True" : "Unknown" };
}

function read(text: string | undefined): { outcomes: readonly string[]; reason: string; message: string } {
  const match = /^([SF]{1,4})(?: (\S+)(?: (.*))?)?$/.exec(text ?? "");
  return {
    outcomes: [...(match?.[1] ?? "")],
    reason: match?.[2] ?? "RegistrationFailed",
    message: match?.[3] ?? "",
  };
}
