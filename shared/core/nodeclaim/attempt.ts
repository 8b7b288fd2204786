/**
 * Karpenter counterpart: pkg/controllers/nodeclaim/lifecycle/launch.go, before its call of CloudProvider.Create. It
 * differs: the number of the attempt is on the claim before anything is asked of the cloud, and what the launch needs
 * (launch templates) is made first, once for all claims that share it.
 */
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { launchAttemptAnnotation, launchAttemptTimeAnnotation } from "#api/outrigger-names.ts";
import { formatTime } from "#api/time.ts";
import type { CloudProvider } from "../cloud-provider.ts";
import type { Command, LaunchOption, PatchMetadata } from "../command.ts";
import { conditionOf } from "../condition.ts";
import { type Decision, together } from "../decision.ts";
import { conditionMessageMax, shortened } from "../message.ts";
import { refOf } from "../object-ref.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Stage } from "../stage.ts";
import { deleteClaim } from "./claim-deletion.ts";
import { claimStatusPatch, launched } from "./conditions.ts";
import { indexInstances } from "./instance-presence.ts";
import {
  isUnanswered,
  launching,
  launchUnconfirmed,
  nextAttempt,
  nodeClassNotReady,
  recordedAttempt,
} from "./launch-attempt.ts";
import { launchUnknown } from "./launch-condition.ts";
import { isLaunchable } from "./launchable.ts";

/** Attempts of one tick that can only become one and the same type: if that is not to be had, all of them are in vain. */
const oneTypeMax = 20;
const afterOthersMs = 1_000;

export type LaunchPlanner<View> = Pick<CloudProvider<unknown, View>, "nodeClass" | "planLaunch">;

export function attempt<View>(provider: LaunchPlanner<View>): Stage<View> {
  return {
    name: "attempt",
    decide: (snapshot) => {
      const instances = indexInstances(snapshot);
      const claims = snapshot.cluster.nodeClaims.filter((claim) => isLaunchable(claim, provider.nodeClass, instances));
      const byType = new Map<string, number>();
      const decision = together(claims.map((claim) => attemptOf(snapshot, provider, claim, byType)));
      return { ...decision, commands: withoutRepetition(decision.commands) };
    },
  };
}

/** `byType`: attempts of this tick that can only become that type. */
function attemptOf<View>(
  snapshot: Snapshot<View>,
  provider: LaunchPlanner<View>,
  claim: NodeClaim,
  byType: Map<string, number>,
): Decision {
  const { nowMs } = snapshot;
  const next = nextAttempt(claim, nowMs, snapshot.cloud.incomplete.length === 0);
  if (next.kind === "wait") {
    return { commands: [], reasons: [waiting(claim, next.untilMs - nowMs)], againAtMs: next.untilMs };
  }
  const plan = provider.planLaunch(snapshot, claim, next.attempt);
  switch (plan.kind) {
    case "launch":
      if (!isInTurn(plan.launch.options, byType)) {
        const reasons = [waiting(claim, afterOthersMs)];
        return { commands: [], reasons, againAtMs: nowMs + afterOthersMs };
      }
      return {
        commands: [...open(claim, next.attempt, nowMs), record(claim, next.attempt, nowMs), ...plan.prepare],
        reasons: [],
      };
    case "insufficient-capacity":
      return deleteClaim(claim, "insufficient_capacity", plan.message, {
        type: "Warning",
        reason: "InsufficientCapacityError",
      });
    case "not-ready":
      return launchUnknown(
        claim,
        { reason: nodeClassNotReady, message: plan.message, code: "claim-waiting" },
        snapshot.nowMs,
      );
  }
}

/** When they are refused, the rest need not ask. */
function isInTurn(options: readonly LaunchOption[], byType: Map<string, number>): boolean {
  const [first, ...others] = options;
  if (first === undefined || others.some(({ instanceType }) => instanceType !== first.instanceType)) return true;
  const count = byType.get(first.instanceType) ?? 0;
  byType.set(first.instanceType, count + 1);
  return count < oneTypeMax;
}

/**
 * The condition is set to unanswered before the number is: whoever dies from here on leaves a claim that repeats this
 * attempt, and knows that it does. A reason that an earlier owner of the cluster left would be taken for the answer.
 */
function open(claim: NodeClaim, attemptNumber: number, nowMs: number): readonly Command[] {
  const before = conditionOf(claim, launched);
  const recorded = recordedAttempt(claim);
  const reason = recorded === attemptNumber ? launchUnconfirmed : launching;
  const isOpen = before?.reason === reason || (recorded === 0 && (before === undefined || isUnanswered(before)));
  if (isOpen) return [];
  const last = before === undefined || before.message === "" ? "" : `; before: ${before.message}`;
  const message = shortened(`Attempt ${attemptNumber}${last}`, conditionMessageMax);
  const patch = claimStatusPatch(claim, [{ type: launched, status: "Unknown", reason, message }], {}, nowMs);
  return patch === undefined ? [] : [patch];
}

/** Written on every attempt, repeated ones too: the consistency grace counts from the last call that can have worked. */
function record(claim: NodeClaim, attemptNumber: number, nowMs: number): PatchMetadata {
  return {
    kind: "patch-metadata",
    target: refOf("NodeClaim", claim),
    annotations: {
      [launchAttemptAnnotation]: String(attemptNumber),
      [launchAttemptTimeAnnotation]: formatTime(nowMs),
    },
  };
}

function waiting(claim: NodeClaim, waitMs: number): Decision["reasons"][number] {
  return {
    about: refOf("NodeClaim", claim),
    code: "claim-waiting",
    message: `The next launch attempt waits another ${Math.ceil(waitMs / 1000)} s`,
  };
}

function withoutRepetition(commands: readonly Command[]): readonly Command[] {
  const seen = new Set<string>();
  return commands.filter((command) => {
    const text = JSON.stringify(command);
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}
