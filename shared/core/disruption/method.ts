/**
 * Karpenter counterpart: pkg/controllers/disruption/types.go, Method. It differs: a method that waits for its validation is
 * asked twice, for a command and 15 s later whether it still holds; nothing waits inside.
 */
import type { DisruptionReason } from "#api/karpenter-v1/nodepool.ts";
import type { Reason } from "../reason.ts";
import type { Snapshot } from "../snapshot.ts";
import { restingPools } from "../state/pool-back-off.ts";
import { type PoolBudget, poolBudgets } from "./budget.ts";
import { type Candidate, type Candidates, candidates, type DisruptionClass } from "./candidate.ts";
import type { Consolidation } from "./consolidation.ts";
import type { DisruptionCommand, DisruptionMethod } from "./disruption-command.ts";
import { type NominationKnowledge, nominatedNodes } from "./nomination.ts";

export interface Method<View> {
  readonly name: DisruptionMethod;
  readonly reason: DisruptionReason;
  /** Its commands are proposed, and carried out 15 s later if they still hold. Karpenter: all but drift's. */
  readonly waits: boolean;
  /** The command that should be carried out now, if there is one. */
  readonly find: (look: DisruptionLook<View>) => MethodAnswer;
  /** The command of just these claims (UIDs), as things are now; emptiness: of those that are left. */
  readonly confirm: (look: DisruptionLook<View>, claimUids: ReadonlySet<string>) => MethodAnswer;
}

export interface MethodAnswer {
  readonly command?: DisruptionCommand;
  readonly reasons: readonly Reason[];
}

/** What the methods of one tick look at; each part is made when it is first asked for. */
export interface DisruptionLook<View> {
  readonly snapshot: Snapshot<View>;
  readonly provider: NominationKnowledge<View>;
  /** Nodes that may be disrupted, nominated ones left out. */
  readonly candidates: (disruptionClass: DisruptionClass) => Candidates;
  /** What consolidation looks at, made once for both of its methods. */
  readonly consolidation: (make: () => Consolidation<View>) => Consolidation<View>;
  /** By name of the pool. */
  readonly budgets: (reason: DisruptionReason) => ReadonlyMap<string, PoolBudget>;
  /** Pools whose replacements came to nothing lately: until when they rest, ms, by name. Deletions go on. */
  readonly resting: ReadonlyMap<string, number>;
}

export function disruptionLook<View>(
  snapshot: Snapshot<View>,
  provider: NominationKnowledge<View>,
): DisruptionLook<View> {
  const { cluster, nowMs } = snapshot;
  const nominated = once(() => nominatedNodes(snapshot, provider));
  let consolidation: Consolidation<View> | undefined;
  return {
    snapshot,
    provider,
    consolidation: (make) => {
      consolidation ??= make();
      return consolidation;
    },
    candidates: onceEach((disruptionClass) => {
      const found = candidates(snapshot, provider, disruptionClass);
      if (found.candidates.length === 0) return found;
      const free = found.candidates.filter(({ node }) => !nominated().has(node.metadata.name));
      return { ...found, candidates: free };
    }),
    budgets: onceEach((reason) => poolBudgets(cluster, provider.nodeClass, reason, nowMs)),
    resting: restingPools(cluster.state, cluster.nodePools, nowMs),
  };
}

export function uidOf({ claim }: Candidate): string {
  return claim.metadata.uid ?? claim.metadata.name;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function onceEach<K, T>(make: (key: K) => T): (key: K) => T {
  const made = new Map<K, T>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}
