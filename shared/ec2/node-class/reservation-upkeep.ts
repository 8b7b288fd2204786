/**
 * Karpenter counterpart: pkg/controllers/capacityreservation/{capacitytype,expiration}. It differs: a claim that is not
 * reserved any more loses the label of interruptible reservations too, which Karpenter leaves behind.
 */
import { capacityTypeLabel, registeredLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { Command } from "#core/command.ts";
import { type Decision, nothing, together } from "#core/decision.ts";
import type { Instance } from "#core/instance.ts";
import { deleteClaim } from "#core/nodeclaim/claim-deletion.ts";
import { refOf } from "#core/object-ref.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { nodesByProviderId } from "#core/state/node-index.ts";
import { reservationIdLabel, reservationLabels } from "../labels.ts";
import type { Ec2View } from "../view.ts";
import { claimsOf, ec2NodeClassesOf } from "./node-class.ts";

/** Claims whose capacity block is about to end go; those that EC2 runs on demand by now say so. */
export function reservationUpkeep(snapshot: Snapshot<Ec2View>): Decision {
  if (!snapshot.settings.featureGates.reservedCapacity) return nothing;
  const instances = new Map(snapshot.cloud.instances.map((instance) => [instance.providerID, instance]));
  return together(
    ec2NodeClassesOf(snapshot.cluster).flatMap((nodeClass) => {
      const reservations = nodeClass.status?.capacityReservations ?? [];
      const expiring = new Set(reservations.filter(({ state }) => state === "expiring").map(({ id }) => id));
      return claimsOf(snapshot.cluster, nodeClass)
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map((claim) => upkeepOf(snapshot, claim, expiring, instances.get(claim.status?.providerID ?? "")));
    }),
  );
}

function upkeepOf(
  snapshot: Snapshot<Ec2View>,
  claim: NodeClaim,
  expiring: ReadonlySet<string>,
  instance: Instance | undefined,
): Decision {
  const labels = claim.metadata.labels ?? {};
  const id = labels[reservationIdLabel];
  if (id !== undefined && expiring.has(id)) {
    const message = `Capacity block ${id} ends soon: EC2 takes its instances back 30 minutes before`;
    return deleteClaim(claim, "capacity_reservation_expired", message, {
      type: "Warning",
      reason: "CapacityReservationExpiring",
    });
  }
  if (labels[capacityTypeLabel] !== "reserved" || instance?.capacityType !== "on-demand") return nothing;
  return { commands: demotion(snapshot, claim), reasons: [] };
}

/** On the claim, and on its node once that carries the claim's labels. */
function demotion({ cluster }: Snapshot<Ec2View>, claim: NodeClaim): readonly Command[] {
  const labels = {
    [capacityTypeLabel]: "on-demand",
    ...Object.fromEntries(reservationLabels.map((key) => [key, null])),
  };
  const nodes = nodesByProviderId(cluster.nodes).get(claim.status?.providerID ?? "") ?? [];
  return [
    { kind: "patch-metadata", target: refOf("NodeClaim", claim), labels },
    ...nodes
      .filter(({ metadata }) => metadata.labels?.[registeredLabel] === "true")
      .map((node): Command => ({ kind: "patch-metadata", target: refOf("Node", node), labels })),
  ];
}
