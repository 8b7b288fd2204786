/**
 * Karpenter counterpart: pkg/controllers/nodeclaim/lifecycle/launch.go, what it does with the answer of
 * CloudProvider.Create, and the unavailable-offerings cache of the AWS provider. It differs: an answer that may hide a
 * success (a time-out, a token that the cloud knows already, any refusal of a repeated request) keeps the number of the attempt.
 */
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { CloudProvider } from "../cloud-provider.ts";
import type { LaunchInstance } from "../command.ts";
import { type Decision, nothing, together } from "../decision.ts";
import type { Fault } from "../fault.ts";
import type { Instance } from "../instance.ts";
import { launchRefusals } from "../nodepool/launch-refusals.ts";
import { refOf } from "../object-ref.ts";
import type { Step } from "../outcome.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Stage } from "../stage.ts";
import { markUnavailable, type OfferingName } from "../state/unavailable-offerings.ts";
import { deleteClaim } from "./claim-deletion.ts";
import { launched } from "./conditions.ts";
import { earlierLaunchPossible, isRepetition, launchUnconfirmed } from "./launch-attempt.ts";
import { launchUnknown } from "./launch-condition.ts";
import { launchedCommands } from "./launched.ts";

type Provider<View> = Pick<CloudProvider<unknown, View>, "nodeClass" | "launched">;
type LaunchStep = Step & { readonly command: LaunchInstance };

/** How long an answer without a time to retry asks to wait, ms. */
const retryPauseMs = 5_000;

export function launchOutcome<View>(provider: Provider<View>): Stage<View> {
  return {
    name: "launch-outcome",
    decide: (snapshot) => {
      const byUid = new Map(snapshot.cluster.nodeClaims.map((claim) => [claim.metadata.uid, claim]));
      const steps = snapshot.steps.filter((step): step is LaunchStep => step.command.kind === "launch-instance");
      const { state } = snapshot.cluster;
      const unavailable = markUnavailable(state, refused(steps), snapshot.nowMs, steps.flatMap(fullSubnets));
      const decisions = steps.map((step) => {
        const claim = byUid.get(step.command.nodeClaimUid);
        return claim === undefined ? nothing : outcomeOf(snapshot, provider, claim, step);
      });
      return together([{ commands: unavailable, reasons: [] }, ...decisions, launchRefusals(snapshot, steps)]);
    },
  };
}

function outcomeOf<View>(
  snapshot: Snapshot<View>,
  provider: Provider<View>,
  claim: NodeClaim,
  { command, outcome }: LaunchStep,
): Decision {
  if (outcome.kind === "failed") return failed(claim, command, outcome.fault, snapshot.nowMs);
  if (outcome.instance === undefined) return nothing;
  return {
    commands: launchedCommands(snapshot, provider, claim, outcome.instance),
    reasons: [launchedReason(claim, command, outcome.instance)],
  };
}

function launchedReason(claim: NodeClaim, command: LaunchInstance, instance: Instance): Decision["reasons"][number] {
  const chosen = command.options.find(
    (option) => option.instanceType === instance.instanceType && option.zone === instance.zone,
  );
  const price = chosen === undefined ? "" : ` at $${chosen.pricePerHour}/h`;
  return {
    about: refOf("NodeClaim", claim),
    code: "claim-launched",
    message: `Launched ${instance.id}: ${instance.instanceType} (${instance.capacityType}) in ${instance.zone}${price}`,
    data: {
      instanceId: instance.id,
      instanceType: instance.instanceType,
      zone: instance.zone,
      capacityType: instance.capacityType,
      ...(chosen === undefined ? {} : { pricePerHour: chosen.pricePerHour }),
    },
    event: { type: "Normal", reason: launched },
  };
}

function failed(claim: NodeClaim, command: LaunchInstance, fault: Fault, nowMs: number): Decision {
  if (isRepetition(claim) && fault.kind !== "unavailable") return waiting(claim, earlierLaunchPossible, fault, nowMs);
  switch (fault.kind) {
    case "insufficient-capacity":
      return together([accountLimit(claim, fault, nowMs), shortage(claim, command, fault)]);
    case "token-mismatch":
    case "token-instance-terminated":
      return waiting(claim, earlierLaunchPossible, fault, nowMs);
    case "launch-refused":
    case "invalid":
    case "forbidden":
    case "not-found":
    case "throttled":
      return launchUnknown(
        claim,
        { reason: conditionReason(fault), message: fault.message, code: "claim-launch-failed" },
        nowMs,
      );
    default:
      return waiting(claim, launchUnconfirmed, fault, nowMs);
  }
}

function shortage(claim: NodeClaim, command: LaunchInstance, fault: Fault): Decision {
  return deleteClaim(
    claim,
    "insufficient_capacity",
    `None of ${command.options.length} ${command.capacityType} options can be had now: ${fault.message}`,
    { type: "Warning", reason: "InsufficientCapacityError" },
  );
}

/** A shortage that a person can mend (a quota, a missing role) is said on the claim for as long as it is there. */
function accountLimit(claim: NodeClaim, fault: Fault, nowMs: number): Decision {
  if (fault.reason === undefined) return nothing;
  const why = { reason: conditionReason(fault), message: fault.message, code: "claim-launch-failed" } as const;
  return launchUnknown(claim, why, nowMs);
}

function waiting(claim: NodeClaim, reason: string, fault: Fault, nowMs: number): Decision {
  const decision = launchUnknown(claim, { reason, message: fault.message, code: "claim-waiting" }, nowMs);
  return { ...decision, againAtMs: nowMs + (fault.retryAfterMs ?? retryPauseMs) };
}

/** The server's code where it can be a condition's reason, as Karpenter gives it, else LaunchFailed. */
function conditionReason(fault: Fault): string {
  const word = fault.reason ?? fault.code;
  return /^[A-Za-z]([A-Za-z0-9_]{0,98}[A-Za-z0-9])?$/.test(word) ? word : "LaunchFailed";
}

/** The offerings that this tick's launches were refused, those that another offering made up for included. */
function refused(steps: readonly LaunchStep[]): readonly OfferingName[] {
  return steps.flatMap(({ command, outcome }) => {
    if (outcome.kind === "done") return outcome.refused ?? [];
    const { kind, offerings = [] } = outcome.fault;
    return kind === "insufficient-capacity" ? refusedOfferings(command, outcome.fault) : offerings;
  });
}

function fullSubnets({ outcome }: LaunchStep): readonly string[] {
  return (outcome.kind === "done" ? outcome.fullSubnets : outcome.fault.fullSubnets) ?? [];
}

/** Those the fault names; a fault that names none, nor a subnet, means all that were asked for. */
function refusedOfferings(command: LaunchInstance, fault: Fault): readonly OfferingName[] {
  if (fault.offerings !== undefined && fault.offerings.length > 0) return fault.offerings;
  if ((fault.fullSubnets ?? []).length > 0) return [];
  return command.options.map(({ instanceType, zone }) => ({
    instanceType,
    zone,
    capacityType: command.capacityType,
  }));
}
