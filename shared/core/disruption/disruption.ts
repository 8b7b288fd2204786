/**
 * Karpenter counterpart: pkg/controllers/disruption/controller.go, with validation.go. It differs: the 15 s between a
 * command and its validation pass between ticks; the proposal waits in the state ConfigMap (proposal.ts).
 */
import { partialReadBrake } from "../brake.ts";
import { isTrue } from "../condition.ts";
import { type Decision, together } from "../decision.ts";
import { consolidatable, drifted } from "../nodeclaim/conditions.ts";
import { refOf } from "../object-ref.ts";
import type { Reason } from "../reason.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Stage } from "../stage.ts";
import type { Blocked, DisruptionClass } from "./candidate.ts";
import { commandDecision } from "./command-decision.ts";
import { multiNodeConsolidation, singleNodeConsolidation } from "./consolidation-methods.ts";
import type { DisruptionCommand } from "./disruption-command.ts";
import { drift } from "./drift.ts";
import { emptiness } from "./emptiness.ts";
import { type DisruptionLook, disruptionLook, type Method, uidOf } from "./method.ts";
import { nodeKept } from "./node-kept.ts";
import type { NominationKnowledge } from "./nomination.ts";
import { isMature, type Proposal, proposalOf, proposalPatches, proposedMax, validationDelayMs } from "./proposal.ts";

/** In the order in which they are asked; the first that has a command ends the round. */
function methodsOf<View>(): readonly Method<View>[] {
  return [emptiness(), drift(), multiNodeConsolidation(), singleNodeConsolidation()];
}

export function disruption<View>(provider: NominationKnowledge<View>): Stage<View> {
  const methods = methodsOf<View>();
  return {
    name: "disruption",
    decide: (snapshot) => {
      const partial = partialReadBrake(snapshot, "No node is disrupted");
      if (partial !== undefined) return { commands: [], reasons: [partial] };
      if (!isAnyOfInterest(snapshot)) return { commands: forgotten(snapshot, methods), reasons: [] };
      const look = disruptionLook(snapshot, provider);
      const decisions: Decision[] = [{ commands: [], reasons: blockedReasons(look) }];
      for (const method of isMakingNodes(snapshot) ? methods.filter(isQuick) : methods) {
        const round = roundOf(method, look);
        decisions.push(round.decision);
        if (round.isOver) break;
      }
      return together(decisions);
    },
  };
}

/** Most ticks find none, and need no prices then. */
function isAnyOfInterest({ cluster }: Snapshot): boolean {
  return cluster.nodeClaims.some((claim) => isTrue(claim, consolidatable) || isTrue(claim, drifted));
}

/** Nodes that this tick makes are launched after this stage: a long search would keep them waiting. */
function isMakingNodes({ steps }: Snapshot): boolean {
  return steps.some(({ command }) => command.kind === "create-node-claim");
}

function isQuick({ reason }: Pick<Method<unknown>, "reason">): boolean {
  return reason !== "Underutilized";
}

function forgotten<View>({ cluster }: Snapshot, methods: readonly Method<View>[]): Decision["commands"] {
  return methods.flatMap(({ name }) => proposalPatches(cluster.state, name, undefined));
}

interface Round {
  readonly decision: Decision;
  /** The methods after this one are not asked in this tick. */
  readonly isOver: boolean;
}

function roundOf<View>(method: Method<View>, look: DisruptionLook<View>): Round {
  const { nowMs, cluster } = look.snapshot;
  const proposal = method.waits ? proposalOf(cluster.state, method.name, nowMs) : undefined;
  if (proposal !== undefined && !isMature(proposal, nowMs))
    return { decision: waiting(method, proposal, look), isOver: true };
  if (proposal !== undefined) return confirmation(method, proposal, look);
  const { command, reasons } = method.find(look);
  const objection = command === undefined ? undefined : objectionTo(command, look);
  if (command === undefined || objection !== undefined) {
    const gone = proposalPatches(cluster.state, method.name, undefined);
    return { decision: { commands: gone, reasons: [...reasons, ...(objection ?? [])] }, isOver: false };
  }
  const next = method.waits ? proposed(method, command, look) : commandDecision(command, look);
  return { decision: together([{ commands: [], reasons }, next]), isOver: true };
}

/** The proposal's command again, as things are now: carried out, or dropped and the next method's turn, as in Karpenter. */
function confirmation<View>(method: Method<View>, proposal: Proposal, look: DisruptionLook<View>): Round {
  const { cluster } = look.snapshot;
  const { command, reasons } = method.confirm(look, proposal.claimUids);
  const gone = proposalPatches(cluster.state, method.name, undefined);
  const objection = command === undefined ? [] : (objectionTo(command, look) ?? []);
  if (command === undefined || shapeOf(command) !== proposal.shape || objection.length > 0) {
    const rejected = method.name === "emptiness" ? [] : rejections(proposal, look);
    return { decision: { commands: gone, reasons: [...reasons, ...objection, ...rejected] }, isOver: false };
  }
  return { decision: together([{ commands: gone, reasons }, commandDecision(command, look)]), isOver: true };
}

function shapeOf({ replacements }: DisruptionCommand): Proposal["shape"] {
  return replacements.length === 0 ? "delete" : "replace";
}

function proposed<View>(method: Method<View>, command: DisruptionCommand, look: DisruptionLook<View>): Decision {
  const { nowMs, cluster } = look.snapshot;
  const claimUids = command.candidates.slice(0, proposedMax).map(uidOf);
  const proposal: Proposal = { atMs: nowMs, shape: shapeOf(command), claimUids: new Set(claimUids) };
  const commands = proposalPatches(cluster.state, method.name, proposal);
  return together([{ commands, reasons: [] }, waiting(method, proposal, look)]);
}

function waiting<View>({ reason }: Method<View>, { atMs, claimUids }: Proposal, look: DisruptionLook<View>): Decision {
  const untilMs = atMs + validationDelayMs;
  const message = `${reason}: it goes in ${Math.ceil((untilMs - look.snapshot.nowMs) / 1_000)} s if that still holds`;
  const reasons = claimsOf(claimUids, look).map((claim): Reason => {
    return { about: refOf("NodeClaim", claim), code: "node-kept", message };
  });
  return { commands: [], reasons, againAtMs: untilMs };
}

function rejections<View>({ claimUids }: Proposal, look: DisruptionLook<View>): readonly Reason[] {
  const event = { type: "Normal", reason: "ConsolidationRejected" } as const;
  return claimsOf(claimUids, look).map((claim): Reason => {
    const message = "Underutilized: stays, what was found 15 s ago does not hold any more";
    return { about: refOf("NodeClaim", claim), code: "node-kept", message, event };
  });
}

function claimsOf<View>(uids: ReadonlySet<string>, { snapshot }: DisruptionLook<View>) {
  return snapshot.cluster.nodeClaims.filter(({ metadata }) => uids.has(metadata.uid ?? metadata.name));
}

/** Whatever a method finds: no more nodes than the budgets of this very look allow, and nothing of a pool that rests. */
function objectionTo<View>(command: DisruptionCommand, look: DisruptionLook<View>): readonly Reason[] | undefined {
  const budgets = look.budgets(command.reason);
  const found = command.budgetUsed.flatMap(({ nodePool, nodes }): readonly Reason[] => {
    const about = { kind: "NodePool", name: nodePool } as const;
    const remaining = budgets.get(nodePool)?.remaining ?? 0;
    if (nodes > remaining) {
      const message = `${nodes} nodes should go (${command.reason}), and budgets leave room for ${remaining}`;
      return [{ about, code: "pool-budget", message }];
    }
    const untilMs = command.replacements.length === 0 ? undefined : look.resting.get(nodePool);
    if (untilMs === undefined) return [];
    const seconds = Math.ceil((untilMs - look.snapshot.nowMs) / 1_000);
    return [{ about, code: "pool-budget", message: `rests for ${seconds} s: its last replacement came to nothing` }];
  });
  return found.length === 0 ? undefined : found;
}

/** Of nodes that would otherwise be considered: only then do users want to hear what holds them. */
function blockedReasons<View>(look: DisruptionLook<View>): readonly Reason[] {
  const of = (disruptionClass: DisruptionClass, type: string): readonly Blocked[] => {
    const isAny = look.snapshot.cluster.nodeClaims.some((claim) => isTrue(claim, type));
    return isAny ? look.candidates(disruptionClass).blocked.filter(({ claim }) => isTrue(claim, type)) : [];
  };
  const event = { type: "Normal", reason: "DisruptionBlocked" } as const;
  const blocked = new Map(
    [...of("graceful", consolidatable), ...of("eventual", drifted)].map((one) => [one.claim.metadata.name, one]),
  );
  return [...blocked.values()].flatMap((one) => nodeKept(one, one.message, event));
}
