/**
 * Karpenter counterpart: pkg/controllers/nodeclass/instanceprofile.go, where making a profile fails; the error is logged
 * there and the class stays unready without a word. It differs: the class says what IAM answered.
 */
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import { ec2NodeClassLabel } from "#api/ec2-v1/ec2nodeclass.ts";
import type { EnsureCloudResource } from "#core/command.ts";
import { statusPatch } from "#core/condition.ts";
import { type Decision, together } from "#core/decision.ts";
import type { Fault } from "#core/fault.ts";
import { refOf } from "#core/object-ref.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { ec2Settings } from "../settings.ts";
import type { Ec2View } from "../view.ts";
import { nodeClassConditionSet, profileMissing, withoutProfile } from "./conditions.ts";
import { instanceProfileType } from "./instance-profile.ts";
import { ec2NodeClassesOf } from "./node-class.ts";

/** What became of the profiles that this tick made: a failure is said on the class until the profile is there. */
export function nodeClassOutcome(snapshot: Snapshot<Ec2View>): Decision {
  const classes = new Map(ec2NodeClassesOf(snapshot.cluster).map((each) => [each.metadata.name, each]));
  return together(
    snapshot.steps.map(({ command, outcome }) => {
      if (command.kind !== "ensure-cloud-resource" || command.type !== instanceProfileType) return together([]);
      const nodeClass = classes.get(command.tags[ec2NodeClassLabel] ?? "");
      if (nodeClass === undefined || outcome.kind === "done") return together([]);
      return failed(snapshot, nodeClass, command, outcome.fault);
    }),
  );
}

function failed(
  { nowMs, settings }: Snapshot<Ec2View>,
  nodeClass: EC2NodeClass,
  { content }: EnsureCloudResource,
  fault: Fault,
): Decision {
  const role = String(content.role ?? "");
  const cause = fault.kind === "not-found" ? "IAM has no such role" : `${fault.code}: ${fault.message}`;
  const message = `${withoutProfile(nodeClass.spec.role)}, and none can be made: ${cause}`;
  const change = { type: "InstanceProfileReady", status: "Unknown", reason: profileMissing, message } as const;
  const patch = statusPatch(
    "NodeClass",
    nodeClass,
    nodeClassConditionSet(ec2Settings(settings)),
    { conditions: [change] },
    nowMs,
  );
  return {
    commands: patch === undefined ? [] : [patch],
    reasons: [
      {
        about: refOf("NodeClass", nodeClass),
        code: "node-class-not-ready",
        message: `EC2NodeClass ${nodeClass.metadata.name} is not ready: ${message}`,
        data: { role, fault: fault.kind },
        event: { type: "Warning", reason: profileMissing },
      },
    ],
  };
}
