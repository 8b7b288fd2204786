/**
 * Karpenter counterpart: pkg/controllers/nodeclass/controller.go. It differs: every class is looked at each tick from
 * one set of reads, and written only when something changed.
 */
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import { ec2TerminationFinalizer } from "#api/ec2-v1/ec2nodeclass.ts";
import type { Command } from "#core/command.ts";
import { statusPatch, withConditions } from "#core/condition.ts";
import { type Decision, together } from "#core/decision.ts";
import { lockedRefOf, refOf } from "#core/object-ref.ts";
import { notSupportedEvent, type Reason } from "#core/reason.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { isBeingRemoved } from "#core/state/removal.ts";
import { classHashPatches } from "../drift/class-hash-annotations.ts";
import { ec2Settings } from "../settings.ts";
import type { Ec2View } from "../view.ts";
import { nodeClassConditionSet, nodeClassConditions } from "./conditions.ts";
import { dryRunOf, missingTemplate } from "./dry-run.ts";
import { ignoredFields } from "./ignored-fields.ts";
import { ensureProfile } from "./instance-profile.ts";
import { claimsOf, ec2NodeClassesOf } from "./node-class.ts";
import { resolveNodeClass } from "./resolution.ts";
import { resourcesOfClass, unusedResources } from "./resource-collection.ts";
import { statusFields } from "./status.ts";

export function nodeClasses(snapshot: Snapshot<Ec2View>): Decision {
  return together([
    ...ec2NodeClassesOf(snapshot.cluster).map((nodeClass) =>
      nodeClass.metadata.deletionTimestamp === undefined && !isBeingRemoved(snapshot.cluster.state)
        ? reconcileClass(snapshot, nodeClass)
        : finalizeClass(snapshot, nodeClass),
    ),
    { commands: unusedResources(snapshot), reasons: [] },
  ]);
}

function reconcileClass(snapshot: Snapshot<Ec2View>, nodeClass: EC2NodeClass): Decision {
  const { nowMs, cloud } = snapshot;
  const settings = ec2Settings(snapshot.settings);
  const resolution = resolveNodeClass(nodeClass, cloud, settings, nowMs);
  const changes = nodeClassConditions(nodeClass, resolution, cloud.view, settings);
  const set = nodeClassConditionSet(settings);
  const change = { conditions: changes, fields: statusFields(nodeClass, resolution) };
  const status = statusPatch("NodeClass", nodeClass, set, change, nowMs);
  const finalizers = nodeClass.metadata.finalizers ?? [];
  const finalizer: Command = {
    kind: "patch-metadata",
    target: lockedRefOf("NodeClass", nodeClass),
    finalizers: [...finalizers, ec2TerminationFinalizer],
  };
  const commands: readonly Command[] = finalizers.includes(ec2TerminationFinalizer)
    ? [status].filter((command) => command !== undefined)
    : // The lock of the first write holds for the second: it is not sent when the first one failed.
      [finalizer, ...(status === undefined ? [] : [{ ...status, target: refOf("NodeClass", nodeClass) }])];
  const conditions = withConditions(nodeClass, set, changes, nowMs);
  const open = conditions.filter(({ type, status: value }) => type !== "Ready" && value !== "True");
  const profile = ensureProfile(nodeClass, resolution.instanceProfiles, cloud.view, settings);
  return {
    commands: [
      ...(profile === undefined ? [] : [profile]),
      ...commands,
      ...missingTemplate(dryRunOf(nodeClass, settings), cloud.view, settings.clusterName),
      ...classHashPatches(nodeClass, claimsOf(snapshot.cluster, nodeClass)),
    ],
    reasons: [
      ...notReady(nodeClass, open, profile !== undefined),
      ...notSupported(nodeClass),
      ...refusedReads(nodeClass, cloud.view),
    ],
  };
}

function notReady(
  nodeClass: EC2NodeClass,
  open: readonly { readonly type: string; readonly reason: string; readonly message: string }[],
  makesProfile: boolean,
): readonly Reason[] {
  // The validation only repeats what the others say, and what this very tick makes is nothing to warn of: whether it
  // could be made is said after it.
  const causes = open.filter(({ reason }) => reason !== "DependenciesNotReady");
  const lasting = causes.filter(({ type }) => !makesProfile || type !== "InstanceProfileReady");
  const isBeingMade = makesProfile && lasting.length === 0;
  const said = lasting.length > 0 ? lasting : causes.length > 0 ? causes : open;
  if (said.length === 0) return [];
  const message = said.map(({ type, message: text }) => `${type}: ${text}`).join("; ");
  return [
    {
      about: refOf("NodeClass", nodeClass),
      code: "node-class-not-ready",
      message: `EC2NodeClass ${nodeClass.metadata.name} is not ready: ${message}`,
      data: { conditions: said.map(({ type }) => type), reasons: said.map(({ reason }) => reason) },
      ...(isBeingMade ? {} : { event: { type: "Warning", reason: said[0]?.reason ?? "NotReady" } }),
    },
  ];
}

/** Reads that concern no selector, refused for good: what rests on them is not done, and somebody must know. */
const cloudReads: readonly { readonly question: string; readonly without: string }[] = [
  { question: "credentials", without: "nothing of the account can be read, launched or ended" },
  { question: "instances", without: "nothing is adopted, collected or disrupted" },
  { question: "catalogue", without: "nothing is launched" },
  { question: "statuses", without: "failed status checks and scheduled events go unnoticed" },
  { question: "ownTemplates", without: "launch templates are not collected" },
];

function refusedReads(nodeClass: EC2NodeClass, { refusals = {} }: Ec2View): readonly Reason[] {
  return cloudReads.flatMap(({ question, without }): Reason[] => {
    const refused = refusals[question];
    if (refused === undefined) return [];
    return [
      {
        about: refOf("NodeClass", nodeClass),
        code: "read-refused",
        message: `AWS refuses a read (${refused}): ${without}`,
        data: { question },
        event: { type: "Warning", reason: "CloudReadRefused" },
      },
    ];
  });
}

function notSupported(nodeClass: EC2NodeClass): readonly Reason[] {
  const fields = ignoredFields(nodeClass.spec);
  if (fields.length === 0) return [];
  return [
    {
      about: refOf("NodeClass", nodeClass),
      code: "not-supported",
      message: `EC2NodeClass ${nodeClass.metadata.name}: not supported yet and ignored: ${fields.join(", ")}`,
      data: { fields },
      event: notSupportedEvent,
    },
  ];
}

/** The class goes, or is let go during a removal, when the last of its claims has gone and what was made for it. */
function finalizeClass(snapshot: Snapshot<Ec2View>, nodeClass: EC2NodeClass): Decision {
  const finalizers = nodeClass.metadata.finalizers ?? [];
  if (!finalizers.includes(ec2TerminationFinalizer)) return { commands: [], reasons: [] };
  const claims = claimsOf(snapshot.cluster, nodeClass).map(({ metadata }) => metadata.name);
  if (claims.length > 0) return { commands: [], reasons: [waiting(nodeClass, claims)] };
  const left = resourcesOfClass(snapshot, nodeClass);
  if (left === undefined) return { commands: [], reasons: [unread(nodeClass, snapshot.cloud.view)] };
  if (left.length > 0) return { commands: left, reasons: [] };
  const finalizersLeft = finalizers.filter((finalizer) => finalizer !== ec2TerminationFinalizer);
  return {
    commands: [{ kind: "patch-metadata", target: lockedRefOf("NodeClass", nodeClass), finalizers: finalizersLeft }],
    reasons: [],
  };
}

/** The class stays: with it would go the only trace of what was made for it. */
function unread(nodeClass: EC2NodeClass, { refusals = {} }: Ec2View): Reason {
  const why = refusals.ownTemplates ?? refusals.instanceProfiles;
  const said = why === undefined ? "" : ` (${why})`;
  return {
    about: refOf("NodeClass", nodeClass),
    code: "node-class-not-ready",
    message: `EC2NodeClass ${nodeClass.metadata.name} stays: its launch templates and instance profile could not be listed${said}`,
  };
}

function waiting(nodeClass: EC2NodeClass, claims: readonly string[]): Reason {
  const shown = claims.slice(0, 5).join(", ");
  const more = claims.length > 5 ? ` and ${claims.length - 5} more` : "";
  return {
    about: refOf("NodeClass", nodeClass),
    code: "node-class-not-ready",
    message: `EC2NodeClass ${nodeClass.metadata.name} waits for its NodeClaims to end: ${shown}${more}`,
    data: { claims },
    event: { type: "Normal", reason: "WaitingOnNodeClaimTermination" },
  };
}
