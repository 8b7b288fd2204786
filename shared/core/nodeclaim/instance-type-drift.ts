/**
 * Karpenter counterpart: pkg/controllers/nodeclaim/disruption/drift.go, instanceTypeNotFound. It differs: it is looked at
 * each tick, since the types are at hand; Karpenter keeps an answer for 30 min.
 */
import { capacityTypeLabel, instanceTypeLabel, zoneLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { parseTime } from "#api/time.ts";
import type { CloudDrift } from "../cloud-provider.ts";
import type { InstanceType } from "../instance-type.ts";

/** Karpenter: no claim is younger than this when its type is looked for. */
const youngMs = 60 * 60_000;

/** The node's type is not offered any more, or not there; whether it can be had now does not matter. */
export function instanceTypeDrift(
  claim: NodeClaim,
  types: ReadonlyMap<string, InstanceType>,
  nowMs: number,
): CloudDrift | undefined {
  const createdMs = parseTime(claim.metadata.creationTimestamp);
  if (createdMs === undefined || nowMs - createdMs <= youngMs) return undefined;
  const { labels = {} } = claim.metadata;
  const name = labels[instanceTypeLabel] ?? "";
  const [zone, capacityType] = [labels[zoneLabel], labels[capacityTypeLabel]];
  const type = types.get(name);
  if (type === undefined) return notFound(`instance type ${name === "" ? "without a name" : name} is not offered`);
  // A reservation that is over leaves an on-demand instance behind.
  const accepted = capacityType === "reserved" ? ["reserved", "on-demand"] : [capacityType];
  const isOffered = type.offerings.some(
    (offering) =>
      (zone === undefined || offering.zone === zone) &&
      (capacityType === undefined || accepted.includes(offering.capacityType)),
  );
  return isOffered ? undefined : notFound(`${name} has no ${capacityType} offering in ${zone}`);
}

function notFound(message: string): CloudDrift {
  return { reason: "InstanceTypeNotFound", message };
}
