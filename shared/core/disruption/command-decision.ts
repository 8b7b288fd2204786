/**
 * Karpenter counterpart: pkg/controllers/disruption/queue.go, StartCommand, and the events of its commands. It differs: what
 * a command costs and saves, how many pods move and what it takes of each budget is said of every command.
 */
import { coreWellKnownLabels } from "#api/karpenter-v1/labels.ts";
import type { CreateNodeClaim } from "../command.ts";
import { type Decision, together } from "../decision.ts";
import { dollars } from "../dollars.ts";
import { type ReplacementRecord, replacementAnnotations } from "../nodeclaim/replacement-record.ts";
import { refOf } from "../object-ref.ts";
import { NodeClaimWriter } from "../provisioning/node-claim.ts";
import { claimReason } from "../provisioning/reasons.ts";
import type { Reason } from "../reason.ts";
import type { DisruptionCommand } from "./disruption-command.ts";
import { cureOf } from "./drift-damping.ts";
import { markCommands } from "./marking.ts";
import type { DisruptionLook } from "./method.ts";

/** Begins the command: replacements are made where there are any, else the nodes are marked. */
export function commandDecision<View>(command: DisruptionCommand, look: DisruptionLook<View>): Decision {
  const { candidates, reason, replacements } = command;
  const { nowMs } = look.snapshot;
  const message = commandText(command);
  if (replacements.length > 0) return replacing(command, look, message);
  const commands = candidates.flatMap(({ claim, node }) => markCommands(claim, node, reason, nowMs));
  return together([
    { commands, reasons: [] },
    { commands: [], reasons: said(command, message) },
  ]);
}

function replacing<View>(command: DisruptionCommand, look: DisruptionLook<View>, message: string): Decision {
  const { candidates, reason, replacements } = command;
  const { provider, snapshot } = look;
  const writer = new NodeClaimWriter({
    // Apart from the claims of the same tick's provisioning.
    decisionId: `${snapshot.decisionId}/${command.method}`,
    nodeClassLabel: provider.nodeClass.label,
    isWellKnown: (key) => provider.wellKnownLabels.includes(key) || coreWellKnownLabels.includes(key),
  });
  const names = candidates.map(({ claim }) => claim.metadata.name).sort();
  const cure = command.method === "drift" ? cureOf(candidates, snapshot.cluster) : undefined;
  const record: ReplacementRecord = { reason, count: replacements.length, ...(cure === undefined ? {} : { cure }) };
  const annotations = replacementAnnotations(record, names);
  const planned = replacements.map((one, index) => {
    const nodeClaim = writer.nodeClaim(one, index, names);
    const { metadata } = nodeClaim;
    const withRecord = { ...metadata, annotations: { ...metadata.annotations, ...annotations } };
    return { planned: one, nodeClaim: { ...nodeClaim, metadata: withRecord } };
  });
  const commands = planned.map(({ nodeClaim }): CreateNodeClaim => ({ kind: "create-node-claim", nodeClaim }));
  const event = { type: "Normal", reason: "DisruptionLaunching" } as const;
  const launching = planned.map((one): Reason => {
    const reason = claimReason(one);
    return { ...reason, message: `to replace ${names.join(", ")}, ${reason.message}`, event };
  });
  return { commands, reasons: [...said(command, message), ...launching] };
}

function said(
  { candidates, method, reason, replacements, ...command }: DisruptionCommand,
  message: string,
): readonly Reason[] {
  const isCandidate = replacements.length > 0 && (method === "multi" || method === "single");
  const event = isCandidate ? { event: { type: "Normal", reason: "ConsolidationCandidate" } as const } : {};
  const data = {
    method,
    reason,
    costBeforePerHour: command.costBeforePerHour,
    costAfterPerHour: command.costAfterPerHour,
    podsMoved: command.podsMoved,
    replacements: replacements.length,
  };
  return candidates.flatMap(({ claim, node }): readonly Reason[] => [
    { about: refOf("NodeClaim", claim), code: "node-disrupted", message, data, ...event },
    { about: refOf("Node", node), code: "node-disrupted", message, data, ...event },
  ]);
}

/** In one line: who goes and who comes, the pods, the money, the budgets. */
export function commandText(command: DisruptionCommand): string {
  const { candidates, replacements, reason, podsMoved, budgetUsed } = command;
  const comes = replacements.map(({ cheapest }) => `${cheapest.instanceType} ${cheapest.capacityType}`).join(", ");
  const goes = candidates.length === 1 ? "this node goes" : `${candidates.length} nodes go together`;
  const nodes = replacements.length === 0 ? goes : `${goes} when a replacement is ready, at the cheapest ${comes}`;
  const budgets = budgetUsed.map(({ nodePool, nodes: count, remaining }) =>
    Number.isFinite(remaining)
      ? `budget of NodePool ${nodePool}: ${count} of ${remaining} that may go`
      : `NodePool ${nodePool} has no budget for this`,
  );
  const money = `${dollars(command.costBeforePerHour)} an hour before, ${dollars(command.costAfterPerHour)} after`;
  const pods = `${podsMoved} ${podsMoved === 1 ? "pod moves" : "pods move"}`;
  return `${reason}: ${[nodes, pods, money, ...budgets].join("; ")}`;
}
