/**
 * Karpenter counterpart: pkg/controllers/disruption/emptiness.go with its validator. It differs: nothing waits inside;
 * the proposal of one tick is carried out by a later one, as far as its candidates are still candidates.
 */
import { parseDuration } from "#api/duration.ts";
import { partialReadBrake } from "../brake.ts";
import { isTrue } from "../condition.ts";
import { type Decision, together } from "../decision.ts";
import { consolidatable } from "../nodeclaim/conditions.ts";
import { refOf } from "../object-ref.ts";
import type { Reason } from "../reason.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Stage } from "../stage.ts";
import { type PoolBudget, poolBudgets } from "./budget.ts";
import { type Blocked, type Candidate, type Candidates, candidates } from "./candidate.ts";
import { isEmpty } from "./eviction-cost.ts";
import { markCommands, unmarkCommands } from "./marking.ts";
import { type NominationKnowledge, nominatedNodes } from "./nomination.ts";
import { isMature, proposalOf, proposalPatches, proposedMax, validationDelayMs } from "./proposal.ts";

const method = "emptiness";

export function emptiness<View>(provider: NominationKnowledge<View>): Stage<View> {
  return {
    name: "emptiness",
    decide: (snapshot) => {
      const partial = partialReadBrake(snapshot, "No node is disrupted");
      if (partial !== undefined) return { commands: [], reasons: [partial] };
      const found = isAnyConsolidatable(snapshot) ? candidates(snapshot, provider, "graceful") : noCandidates;
      const nominated = found.candidates.some(isEmptyCandidate)
        ? nominatedNodes(snapshot, provider)
        : new Set<string>();
      const empty = found.candidates.filter(
        (candidate) => isEmptyCandidate(candidate) && !nominated.has(candidate.node.metadata.name),
      );
      const budgets = poolBudgets(snapshot.cluster, provider.nodeClass, "Empty", snapshot.nowMs);
      const decided = decide(snapshot, empty, budgets);
      const unmarked = unmarkCommands(snapshot.cluster, provider.nodeClass, decided.marked, snapshot.nowMs);
      return together([
        { commands: unmarked, reasons: found.blocked.filter(isOfInterest).flatMap(blockedReasons) },
        decided.decision,
      ]);
    },
  };
}

/** Most ticks find none, and need no prices then. */
function isAnyConsolidatable({ cluster }: Snapshot): boolean {
  return cluster.nodeClaims.some((claim) => isTrue(claim, consolidatable));
}

const noCandidates: Candidates = { candidates: [], blocked: [] };

/** Karpenter: Emptiness.ShouldDisrupt. */
function isEmptyCandidate({ claim, nodePool, pods }: Candidate): boolean {
  return (
    nodePool.spec.replicas === undefined &&
    parseDuration(nodePool.spec.disruption.consolidateAfter) !== undefined &&
    isTrue(claim, consolidatable) &&
    isEmpty(pods)
  );
}

interface Decided {
  readonly decision: Decision;
  /** UIDs of the claims that are marked now. */
  readonly marked: ReadonlySet<string>;
}

function decide(snapshot: Snapshot, empty: readonly Candidate[], budgets: ReadonlyMap<string, PoolBudget>): Decided {
  const { nowMs } = snapshot;
  const { state } = snapshot.cluster;
  const proposal = proposalOf(state, method, nowMs);
  const still = empty.filter((candidate) => proposal?.claimUids.has(uidOf(candidate)) ?? false);
  if (proposal !== undefined && still.length > 0 && !isMature(proposal, nowMs)) {
    const atMs = proposal.atMs + validationDelayMs;
    return {
      decision: { commands: [], reasons: still.map((c) => proposed(c, atMs - nowMs)), againAtMs: atMs },
      marked: new Set(),
    };
  }
  const { taken, reasons } = withinBudgets(proposal === undefined || still.length === 0 ? empty : still, budgets);
  if (proposal !== undefined && still.length > 0) {
    const commands = [
      ...proposalPatches(state, method, [], nowMs),
      ...taken.flatMap(({ claim, node }) => markCommands(claim, node, "Empty", nowMs)),
    ];
    return { decision: { commands, reasons }, marked: new Set(taken.map(uidOf)) };
  }
  const chosen = taken.slice(0, proposedMax);
  const patches = proposalPatches(state, method, chosen.map(uidOf), nowMs);
  const againAtMs = chosen.length === 0 ? {} : { againAtMs: nowMs + validationDelayMs };
  const waits = chosen.map((candidate) => proposed(candidate, validationDelayMs));
  return { decision: { commands: patches, reasons: [...reasons, ...waits], ...againAtMs }, marked: new Set() };
}

/** The first candidates of each pool that its budget leaves room for. */
function withinBudgets(
  empty: readonly Candidate[],
  budgets: ReadonlyMap<string, PoolBudget>,
): { readonly taken: readonly Candidate[]; readonly reasons: readonly Reason[] } {
  const used = new Map<string, number>();
  const held = new Map<string, PoolBudget>();
  const taken = empty.filter(({ nodePool }) => {
    const { name } = nodePool.metadata;
    const budget = budgets.get(name);
    const count = used.get(name) ?? 0;
    if (budget === undefined || count >= budget.remaining) {
      if (budget !== undefined) held.set(name, budget);
      return false;
    }
    used.set(name, count + 1);
    return true;
  });
  return { taken, reasons: [...held.values()].map(budgetReason) };
}

function budgetReason(budget: PoolBudget): Reason {
  const { nodes, allowed, disrupting } = budget;
  const message =
    budget.problem ??
    `Budgets allow ${allowed} of ${nodes} nodes to be disrupted at a time for reason Empty, and ${disrupting} are`;
  return {
    about: refOf("NodePool", budget.nodePool),
    code: "pool-budget",
    message,
    data: { nodes, allowed, disrupting },
    ...(allowed === 0 ? { event: { type: "Normal", reason: "DisruptionBlocked" } as const } : {}),
  };
}

function proposed({ claim }: Candidate, waitMs: number): Reason {
  return {
    about: refOf("NodeClaim", claim),
    code: "node-kept",
    message: `Empty: it goes in ${Math.ceil(waitMs / 1000)} s if it still is`,
  };
}

/** A node that would otherwise be considered: only then do users want to hear what holds it. */
function isOfInterest({ claim }: Blocked): boolean {
  return isTrue(claim, consolidatable);
}

function blockedReasons({ claim, node, message }: Blocked): readonly Reason[] {
  const event = { type: "Normal", reason: "DisruptionBlocked" } as const;
  return [
    { about: refOf("Node", node), code: "node-kept", message, event },
    { about: refOf("NodeClaim", claim), code: "node-kept", message, event },
  ];
}

function uidOf({ claim }: Candidate): string {
  return claim.metadata.uid ?? claim.metadata.name;
}
