import { expect, test } from "vitest";
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { Instance } from "#core/instance.ts";
import { claimOf, nodeClassOf, nowMs, snapshotOf } from "../../../test/support/ec2-world.ts";
import { reservationUpkeep } from "./reservation-upkeep.ts";

const providerID = "aws:///us-east-1a/i-1";
const idLabel = "karpenter.k8s.aws/capacity-reservation-id";
const capacityType = "karpenter.sh/capacity-type";
const claim: NodeClaim = { ...claimOf({}, { [idLabel]: "cr-1", [capacityType]: "reserved" }), status: { providerID } };

function classWith(state: "active" | "expiring"): EC2NodeClass {
  const reservation = { id: "cr-1", availabilityZone: "us-east-1a", instanceType: "m5.large", ownerID: "1", state };
  return {
    ...nodeClassOf(),
    status: { capacityReservations: [{ ...reservation, instanceMatchCriteria: "targeted" }] },
  };
}

function decided(state: "active" | "expiring", instanceCapacityType: string) {
  const instance: Instance = {
    ...{ id: "i-1", providerID, state: "running", instanceType: "m5.large", zone: "us-east-1a" },
    ...{ capacityType: instanceCapacityType, launchedAtMs: nowMs, tags: {} },
  };
  const node = {
    ...{ apiVersion: "v1", kind: "Node", spec: { providerID } },
    metadata: { name: "n", labels: { "karpenter.sh/registered": "true" } },
  };
  const snapshot = snapshotOf({ nodeClasses: [classWith(state)], nodeClaims: [claim], nodes: [node] });
  return reservationUpkeep({ ...snapshot, cloud: { ...snapshot.cloud, instances: [instance] } }).commands;
}

test("a claim of a capacity block that is about to end goes", () => {
  expect(decided("expiring", "reserved").map(({ kind }) => kind)).toEqual(["delete-object"]);
  expect(decided("active", "reserved")).toEqual([]);
});

test("a claim that EC2 runs on demand by now says so, on its node too, without a trace of the reservation", () => {
  const labels = {
    [capacityType]: "on-demand",
    [idLabel]: null,
    "karpenter.k8s.aws/capacity-reservation-type": null,
    "karpenter.k8s.aws/capacity-reservation-interruptible": null,
  };
  expect(decided("active", "on-demand")).toMatchObject([
    { target: { kind: "NodeClaim" }, labels },
    { target: { kind: "Node" }, labels },
  ]);
});
