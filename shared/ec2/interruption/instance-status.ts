/**
 * Karpenter counterpart: pkg/controllers/interruption/instancestatus. No difference in what is acted on: a check that has
 * failed for two minutes, and every scheduled event at once; EBS checks do not count.
 */
import { ec2Group, ec2NodeClassKind, ec2NodeClassLabel } from "#api/ec2-v1/ec2nodeclass.ts";
import type { Decision } from "#core/decision.ts";
import type { InterruptionNotice } from "#core/interruption-notice.ts";
import { interrupt } from "#core/nodeclaim/interruption.ts";
import type { Snapshot } from "#core/snapshot.ts";
import type { Ec2View, InstanceStatus } from "../view.ts";

/** Karpenter: how long a check must have failed. */
const failedMsLeast = 120_000;

/** What EC2's status checks ask for, as if a message had said it; instances of others change nothing. */
export function statusInterruptions({ cluster, cloud, nowMs }: Snapshot<Ec2View>): Decision {
  const notices = (cloud.view.statuses ?? []).flatMap((status) => noticesOf(status, nowMs));
  const nodeClass = { group: ec2Group, kind: ec2NodeClassKind, label: ec2NodeClassLabel };
  return interrupt({ ...cluster, nowMs, nodeClass, notices });
}

function noticesOf(status: InstanceStatus, nowMs: number): readonly InterruptionNotice[] {
  const { instanceId, instanceFailedSinceMs, systemFailedSinceMs, events } = status;
  const hasFailed = (sinceMs: number | undefined): boolean => sinceMs !== undefined && nowMs - sinceMs >= failedMsLeast;
  return [
    ...(hasFailed(systemFailedSinceMs) ? [{ kind: "system-status" as const, instanceId }] : []),
    ...(hasFailed(instanceFailedSinceMs) ? [{ kind: "instance-status" as const, instanceId }] : []),
    ...(events.length > 0 ? [{ kind: "event-status" as const, instanceId }] : []),
  ];
}
