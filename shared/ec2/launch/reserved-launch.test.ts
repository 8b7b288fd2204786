import { describe, expect, test } from "vitest";
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import type { LaunchPlan } from "#core/cloud-provider.ts";
import type { Instance } from "#core/instance.ts";
import { claimOf, nodeClassOf, nowMs, settings, snapshotOf } from "../../../test/support/ec2-world.ts";
import { capacityType, types } from "../../../test/support/launch-plans.ts";
import { nodeClasses } from "../node-class/node-classes.ts";
import { ec2Provider } from "../provider.ts";
import type { CapacityReservation, Ec2View } from "../view.ts";

const spec = { capacityReservationSelectorTerms: [{ id: "cr-1" }] };
const one: CapacityReservation = {
  ...{ id: "cr-1", instanceType: "m5.large", zone: "us-east-1a", ownerId: "123456789012", availableCount: 3 },
  ...{ matchCriteria: "targeted", reservationType: "default", interruptible: false },
};
const anyKind = [types("m5.large", "c5.large"), capacityType("reserved", "on-demand")];

function viewWith(found: readonly CapacityReservation[]): Partial<Ec2View> {
  const { view } = snapshotOf({ nodeClasses: [nodeClassOf(spec)] }).cloud;
  const keys = Object.keys(view.capacityReservations ?? {});
  return { capacityReservations: Object.fromEntries(keys.map((key) => [key, found])) };
}

function classWith(found: readonly CapacityReservation[]): EC2NodeClass {
  const nodeClass = nodeClassOf(spec);
  const { commands } = nodeClasses(snapshotOf({ nodeClasses: [nodeClass] }, viewWith(found)));
  const patch = commands.find((command) => command.kind === "patch-status");
  return { ...nodeClass, ...(patch === undefined ? {} : { status: patch.status }) };
}

function planned(found: readonly CapacityReservation[], requirements = anyKind): LaunchPlan {
  const snapshot = snapshotOf({ nodeClasses: [classWith(found)] }, viewWith(found));
  return ec2Provider.planLaunch(snapshot, claimOf({ requirements }), 1);
}

function launched(found: readonly CapacityReservation[]) {
  const plan = planned(found);
  if (plan.kind !== "launch") throw new Error(plan.message);
  const [template] = plan.prepare;
  return { launch: plan.launch, details: template?.kind === "ensure-launch-template" ? template.details : {} };
}

describe("a reservation with room", () => {
  test("is used first, by its id, and by nothing but itself", () => {
    const { launch, details } = launched([one]);
    expect(launch).toMatchObject({
      capacityType: "reserved",
      options: [{ instanceType: "m5.large", zone: "us-east-1a", reservationId: "cr-1" }],
      details: { reservationType: "default" },
    });
    expect(details).toMatchObject({
      CapacityReservationSpecification: {
        CapacityReservationPreference: "capacity-reservations-only",
        CapacityReservationTarget: { CapacityReservationId: "cr-1" },
      },
    });
    expect(details.InstanceMarketOptions).toBeUndefined();
  });

  test.each([
    [{ reservationType: "capacity-block" }, "capacity-block", "capacity-block"],
    [{ interruptible: true }, "interruptible", "interruptible-capacity-reservation"],
  ])("%j has its own market", (change, reservationType, MarketType) => {
    const { launch, details } = launched([{ ...one, ...change }]);
    expect(launch.details).toEqual({ reservationType });
    expect(details.InstanceMarketOptions).toEqual({ MarketType });
  });
});

test("of several kinds the plain reservation is taken, and one a zone: that with most left", () => {
  const others = [
    { ...one, id: "cr-2", availableCount: 9 },
    { ...one, id: "cr-3", interruptible: true, availableCount: 20 },
    { ...one, id: "cr-4", zone: "us-east-1b", availableCount: 1 },
  ];
  const { launch } = launched([one, ...others]);
  expect(launch.options.map(({ reservationId }) => reservationId).sort()).toEqual(["cr-2", "cr-4"]);
});

describe("what cannot be had", () => {
  test.each([
    ["an empty reservation", { availableCount: 0 }],
    ["one in a zone without a subnet", { zone: "us-east-1f" }],
    ["one of another type", { instanceType: "r5.large" }],
    ["a block about to end", { reservationType: "capacity-block", endAt: new Date(nowMs + 60_000).toISOString() }],
  ])("%s leaves on-demand", (_, change) => {
    const { launch, details } = launched([{ ...one, ...change }]);
    expect(launch.capacityType).toBe("on-demand");
    expect(details.CapacityReservationSpecification).toEqual({ CapacityReservationPreference: "none" });
  });

  test("a claim for reserved capacity alone waits for other pods' pools", () => {
    const alone = planned([{ ...one, availableCount: 0 }], [types("m5.large"), capacityType("reserved")]);
    expect(alone.kind).toBe("insufficient-capacity");
  });
});

test("the instance's labels name its reservation, and an on-demand one of the same type has none", () => {
  const snapshot = snapshotOf({ nodeClasses: [classWith([one])] }, viewWith([one]));
  const instance: Instance = {
    ...{ id: "i-1", providerID: "aws:///us-east-1a/i-1", state: "running", instanceType: "m5.large" },
    ...{ zone: "us-east-1a", capacityType: "reserved", launchedAtMs: nowMs, tags: {}, reservationId: "cr-1" },
  };
  const labelsOf = (of: Instance) => ec2Provider.launched(snapshot, claimOf(), of).labels;
  expect(labelsOf(instance)).toMatchObject({
    "karpenter.k8s.aws/capacity-reservation-id": "cr-1",
    "karpenter.k8s.aws/capacity-reservation-type": "default",
    "karpenter.k8s.aws/capacity-reservation-interruptible": "false",
  });
  const { reservationId: _, ...plain } = instance;
  const labels = labelsOf({ ...plain, capacityType: "on-demand" });
  expect(Object.keys(labels).filter((key) => key.includes("reservation"))).toEqual([]);
});

test("without the feature gate nothing is asked for and nothing is said to EC2", () => {
  const of = { ...settings, featureGates: { ...settings.featureGates, reservedCapacity: false } };
  const snapshot = snapshotOf({ nodeClasses: [nodeClassOf(spec)] }, {}, of);
  expect(ec2Provider.query(snapshot.cluster, of).capacityReservations).toEqual([]);
});
