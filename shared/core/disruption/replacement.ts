/**
 * Karpenter counterpart: pkg/controllers/disruption/queue.go, Reconcile. It differs: what is in the queue is read from the
 * objects (replacement-record.ts); a command that is ready is carried out however late; a replacement that was never asked
 * of the cloud goes with the command that failed, and the pools of its candidates rest for a while.
 */
import { nodePoolLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { disruptionAnnotation, launchAttemptAnnotation, replacesAnnotation } from "#api/outrigger-names.ts";
import type { CloudProvider } from "../cloud-provider.ts";
import { conditionOf, isTrue } from "../condition.ts";
import { type Decision, together } from "../decision.ts";
import { deleteClaim } from "../nodeclaim/claim-deletion.ts";
import { disruptionReason, initialized, launched } from "../nodeclaim/conditions.ts";
import { isDeleting, isManagedClaim } from "../nodeclaim/managed.ts";
import { type ReplacementInFlight, replacementsInFlight } from "../nodeclaim/replacement-record.ts";
import { refOf } from "../object-ref.ts";
import type { Reason } from "../reason.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Stage } from "../stage.ts";
import { type NodesByProviderId, nodesByProviderId, nodesOf } from "../state/node-index.ts";
import { backOffPatches } from "../state/pool-back-off.ts";
import { terminationOf } from "./candidate-termination.ts";
import { isMarked, isMarkedForReplacement, markCommands, unmarkCommands } from "./marking.ts";

/** Karpenter: how long replacements may take, by how many candidates wait, within bounds. */
const msPerCandidate = 80;
const timeoutMsMin = 10 * 60_000;
const timeoutMsMax = 60 * 60_000;

/** Brings on what earlier ticks began: before pods are placed, so that a failed replacement's nodes count again. */
export function replacement<View>(provider: Pick<CloudProvider<unknown, View>, "nodeClass">): Stage<View> {
  return {
    name: "replacement",
    decide: (snapshot) => {
      const { nowMs } = snapshot;
      const claims = snapshot.cluster.nodeClaims.filter((claim) => isManagedClaim(claim, provider.nodeClass));
      const commands = replacementsInFlight(claims, nowMs);
      const nodes = nodesByProviderId(snapshot.cluster.nodes);
      const waiting = commands.reduce((sum, { candidates }) => sum + candidates.length, 0);
      const timeoutMs = Math.min(Math.max(msPerCandidate * waiting, timeoutMsMin), timeoutMsMax);
      const decided = commands.map((command) => progressOf(command, nodes, timeoutMs, nowMs));
      const held = new Set(decided.flatMap(({ outcome, command }) => (outcome === "failed" ? [] : command.candidates)));
      const stray = claims.filter((claim) => !held.has(claim) && !isDeleting(claim));
      return together([
        ...decided.map(({ decision }) => decision),
        { commands: stray.flatMap((claim) => unmarkCommands(claim, nodesOf(claim, nodes), nowMs)), reasons: [] },
        rests(snapshot, decided, stray),
      ]);
    },
  };
}

interface Progress {
  readonly command: ReplacementInFlight;
  readonly outcome: "waiting" | "ready" | "failed";
  readonly decision: Decision;
}

function progressOf(
  command: ReplacementInFlight,
  nodes: NodesByProviderId,
  timeoutMs: number,
  nowMs: number,
): Progress {
  const { record, replacements, candidates, sinceMs } = command;
  const missing = record.count - replacements.length;
  if (missing > 0) {
    const what = record.count === 1 ? "its replacement" : `${missing} of its ${record.count} replacements`;
    return { command, outcome: "failed", decision: rollback(command, `${what} came to nothing`) };
  }
  if (replacements.every((claim) => isTrue(claim, initialized))) {
    const decisions = candidates.flatMap((claim) => terminationOf(claim, nodesOf(claim, nodes), record.reason));
    return { command, outcome: "ready", decision: together(decisions) };
  }
  const untilMs = sinceMs + timeoutMs;
  if (nowMs >= untilMs) {
    const message = `its replacement was not ready within ${timeoutMs / 60_000} min`;
    return { command, outcome: "failed", decision: rollback(command, message) };
  }
  const decision = together([markMissing(command, nodes, nowMs), readiness(command), again(untilMs)]);
  return { command, outcome: "waiting", decision };
}

/** The marks of candidates that do not carry them yet. */
export function markMissing(
  { record, candidates, replacements }: ReplacementInFlight,
  nodes: NodesByProviderId,
  nowMs: number,
): Decision {
  const names = replacements.map(({ metadata }) => metadata.name);
  const commands = candidates.flatMap((claim) => {
    const own = nodesOf(claim, nodes);
    if (isMarked(claim, own)) return [];
    return own.flatMap((node) => markCommands(claim, node, record.reason, nowMs, names));
  });
  return { commands, reasons: [] };
}

function readiness({ candidates, replacements }: ReplacementInFlight): Decision {
  const names = candidates.map(({ metadata }) => metadata.name).join(", ");
  const waiting = replacements.filter((claim) => !isTrue(claim, initialized));
  return {
    commands: [],
    reasons: waiting.map((claim) => ({
      about: refOf("NodeClaim", claim),
      code: "claim-waiting",
      message: `Not ready yet to take the place of ${names}`,
      event: { type: "Normal", reason: "DisruptionWaitingReadiness" },
    })),
  };
}

/** The candidates' marks go with those of all claims that no command holds. */
function rollback({ record, candidates, replacements }: ReplacementInFlight, why: string): Decision {
  const forgotten = replacements.map((claim): Decision => {
    const isAsked = claim.metadata.annotations?.[launchAttemptAnnotation] !== undefined || isTrue(claim, launched);
    if (!isAsked) return deleteClaim(claim, "disruption_rolled_back", "The nodes that it was to replace stay");
    const annotations = { [disruptionAnnotation]: null, [replacesAnnotation]: null };
    return {
      commands: [{ kind: "patch-metadata", target: refOf("NodeClaim", claim), annotations }],
      reasons: [],
    };
  });
  const reasons = candidates.map((claim) => kept(claim, record.reason, why));
  return together([...forgotten, { commands: [], reasons }]);
}

function kept(claim: NodeClaim, reason: string, why: string): Reason {
  const event = { type: "Warning", reason: "DisruptionBlocked" } as const;
  return { about: refOf("NodeClaim", claim), code: "node-kept", message: `${reason}: stays, ${why}`, event };
}

function again(untilMs: number): Decision {
  return { commands: [], reasons: [], againAtMs: untilMs };
}

/**
 * A mark that belongs to no command is one whose replacement is gone already, which says something of its pool, or one of a
 * command without replacements whose mark or deletion failed, which says nothing of it.
 */
function rests(snapshot: Snapshot, decided: readonly Progress[], stray: readonly NodeClaim[]): Decision {
  const { cluster, nowMs } = snapshot;
  const of = (outcome: Progress["outcome"]): readonly NodeClaim[] =>
    decided.flatMap(({ command, ...one }) => (one.outcome === outcome ? command.candidates : []));
  const orphans = stray.filter(isMarkedForReplacement);
  const failed = poolsOf([...of("failed"), ...orphans], cluster.nodePools);
  const cured = poolsOf(of("ready"), cluster.nodePools).filter((nodePool) => !failed.includes(nodePool));
  const reasons = orphans.map((claim) =>
    kept(claim, conditionOf(claim, disruptionReason)?.reason ?? "", "its replacement is gone"),
  );
  return { commands: backOffPatches(cluster.state, failed, cured, nowMs), reasons };
}

function poolsOf(claims: readonly NodeClaim[], nodePools: readonly NodePool[]): readonly NodePool[] {
  const names = new Set(claims.map(({ metadata }) => metadata.labels?.[nodePoolLabel]));
  return nodePools.filter(({ metadata }) => names.has(metadata.name));
}
