/**
 * Karpenter counterpart: pkg/controllers/nodeclaim/lifecycle/launch.go, its call of CloudProvider.Create. It differs:
 * only a claim whose attempt was recorded in this tick, and whose preparations all succeeded, is launched.
 */
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { launchAttemptAnnotation } from "#api/outrigger-names.ts";
import type { CloudCommand } from "../command.ts";
import { type Decision, nothing, together } from "../decision.ts";
import { refOf } from "../object-ref.ts";
import type { Outcome, Step } from "../outcome.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Stage } from "../stage.ts";
import type { LaunchPlanner } from "./attempt.ts";
import { indexInstances } from "./instance-presence.ts";
import { launchNotPrepared, recordedAttempt } from "./launch-attempt.ts";
import { launchUnknown } from "./launch-condition.ts";
import { isLaunchable } from "./launchable.ts";

export function launch<View>(provider: LaunchPlanner<View>): Stage<View> {
  return {
    name: "launch",
    decide: (snapshot) => {
      const recorded = recordedNow(snapshot.steps);
      const prepared = new Map(snapshot.steps.map(({ command, outcome }) => [JSON.stringify(command), outcome]));
      const instances = indexInstances(snapshot);
      const claims = snapshot.cluster.nodeClaims.filter(
        (claim) =>
          recorded.has(claim.metadata.uid ?? "") &&
          recordedAttempt(claim) > 0 &&
          isLaunchable(claim, provider.nodeClass, instances),
      );
      return together(claims.map((claim) => launchOf(snapshot, provider, claim, prepared)));
    },
  };
}

/** UIDs of the claims whose attempt was written in this tick. */
function recordedNow(steps: readonly Step[]): ReadonlySet<string> {
  return new Set(
    steps.flatMap(({ command, outcome }) =>
      command.kind === "patch-metadata" &&
      command.target.kind === "NodeClaim" &&
      command.annotations?.[launchAttemptAnnotation] !== undefined &&
      outcome.kind === "done"
        ? [command.target.uid ?? ""]
        : [],
    ),
  );
}

function launchOf<View>(
  snapshot: Snapshot<View>,
  provider: LaunchPlanner<View>,
  claim: NodeClaim,
  prepared: ReadonlyMap<string, Outcome>,
): Decision {
  const plan = provider.planLaunch(snapshot, claim, recordedAttempt(claim));
  // The stage before has acted on the other kinds.
  if (plan.kind !== "launch") return nothing;
  const missing = firstUnprepared(plan.prepare, prepared);
  if (missing !== undefined) {
    const why = { reason: launchNotPrepared, message: missing, code: "claim-waiting" } as const;
    return launchUnknown(claim, why, snapshot.nowMs);
  }
  const { options, capacityType } = plan.launch;
  const cheapest = options[0];
  return {
    commands: [plan.launch],
    reasons: [
      {
        about: refOf("NodeClaim", claim),
        code: "claim-launching",
        message: `Asks for one of ${options.length} ${capacityType} options, cheapest first${cheapest === undefined ? "" : `: ${cheapest.instanceType} in ${cheapest.zone} at $${cheapest.pricePerHour}/h`}`,
        data: {
          attempt: plan.launch.attempt,
          capacityType,
          options: options.length,
          ...(cheapest === undefined
            ? {}
            : {
                instanceType: cheapest.instanceType,
                zone: cheapest.zone,
                pricePerHour: cheapest.pricePerHour,
              }),
        },
      },
    ],
  };
}

/** What the first preparation that did not succeed answered; undefined when all did. */
function firstUnprepared(prepare: readonly CloudCommand[], prepared: ReadonlyMap<string, Outcome>): string | undefined {
  for (const command of prepare) {
    const outcome = prepared.get(JSON.stringify(command));
    if (outcome === undefined) return `${command.kind} has not been carried out in this tick`;
    if (outcome.kind === "failed") return `${command.kind}: ${outcome.fault.message}`;
  }
  return undefined;
}
