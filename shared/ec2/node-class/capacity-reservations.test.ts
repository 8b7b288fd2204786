import { describe, expect, test } from "vitest";
import { nodeClassOf, nowMs } from "../../../test/support/ec2-world.ts";
import type { CapacityReservation } from "../view.ts";
import { capacityReservationQueries, reservationKind, reservationStatus } from "./capacity-reservations.ts";

const one: CapacityReservation = {
  ...{ id: "cr-1", instanceType: "m5.large", zone: "us-east-1a", ownerId: "123456789012", availableCount: 3 },
  ...{ matchCriteria: "targeted", reservationType: "default", interruptible: false },
};
const minuteMs = 60_000;

function at(offsetMs: number): string {
  return new Date(nowMs + offsetMs).toISOString();
}

test("an id is asked for alone, tags and criteria together; ended ones are not asked for", () => {
  const { spec } = nodeClassOf({
    capacityReservationSelectorTerms: [
      { id: "cr-1" },
      { tags: { team: "a", any: "*" }, ownerID: "123456789012", instanceMatchCriteria: "open" },
    ],
  });
  expect(capacityReservationQueries(spec).map(({ filters }) => filters)).toEqual([
    [
      { name: "instance-match-criteria", values: ["open"] },
      { name: "owner-id", values: ["123456789012"] },
      { name: "state", values: ["active"] },
      { name: "tag-key", values: ["any"] },
      { name: "tag:team", values: ["a"] },
    ],
    [
      { name: "reservation-id", values: ["cr-1"] },
      { name: "state", values: ["active"] },
    ],
  ]);
});

describe("the class's status", () => {
  test("names place, owner and kind", () => {
    expect(reservationStatus([one], nowMs)).toEqual([
      {
        ...{ id: "cr-1", instanceType: "m5.large", availabilityZone: "us-east-1a", ownerID: "123456789012" },
        ...{ instanceMatchCriteria: "targeted", reservationType: "default", interruptible: false, state: "active" },
      },
    ]);
  });

  test("a capacity block expires forty minutes before its end, another reservation does not", () => {
    const stateOf = (reservationType: string, endAt: string) =>
      reservationStatus([{ ...one, reservationType, endAt }], nowMs)[0]?.state;
    expect(stateOf("capacity-block", at(41 * minuteMs))).toBe("active");
    expect(stateOf("capacity-block", at(40 * minuteMs))).toBe("expiring");
    expect(stateOf("default", at(minuteMs))).toBe("active");
  });

  test("an ended one and kinds that nobody knows are left out", () => {
    const others = [
      { ...one, endAt: at(0) },
      { ...one, matchCriteria: "new" },
      { ...one, reservationType: "new" },
    ];
    expect(reservationStatus(others, nowMs)).toEqual([]);
  });

  test("EC2 buys from each kind in its own way", () => {
    const kindOf = (change: Partial<CapacityReservation>) =>
      reservationStatus([{ ...one, ...change }], nowMs).map(reservationKind)[0];
    expect(kindOf({})).toBe("default");
    expect(kindOf({ interruptible: true })).toBe("interruptible");
    expect(kindOf({ reservationType: "capacity-block", interruptible: true })).toBe("capacity-block");
  });
});
