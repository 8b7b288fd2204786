import { describe, expect, test } from "vitest";
import type { Instance } from "#core/instance.ts";
import { messageOf } from "./messages.ts";

const instance: Instance = {
  ...{ id: "i-0abc", providerID: "aws:///us-east-1a/i-0abc", state: "running", instanceType: "m5.large" },
  ...{ zone: "us-east-1a", capacityType: "spot", launchedAtMs: 0, tags: {} },
};
const envelope = {
  account: "123456789012",
  region: "us-east-1",
  nowMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
  sequence: 4,
};

describe("messageOf", () => {
  test("a spot warning has EventBridge's envelope and names instance and action", () => {
    const message = messageOf({ kind: "spot-interruption" }, instance, envelope);
    expect(message).toMatchObject({
      version: "0",
      "detail-type": "EC2 Spot Instance Interruption Warning",
      source: "aws.ec2",
      account: "123456789012",
      time: "2026-01-02T03:04:05Z",
      region: "us-east-1",
      resources: ["arn:aws:ec2:us-east-1a:instance/i-0abc"],
      detail: { "instance-id": "i-0abc", "instance-action": "terminate" },
    });
    expect(message.id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  test.each([
    [{ kind: "rebalance-recommendation" }, "EC2 Instance Rebalance Recommendation", { "instance-id": "i-0abc" }],
    [
      { kind: "state-change", state: "shutting-down" },
      "EC2 Instance State-change Notification",
      { "instance-id": "i-0abc", state: "shutting-down" },
    ],
    [
      { kind: "capacity-reservation-interruption" },
      "EC2 Capacity Reservation Instance Interruption Warning",
      { "instance-id": "i-0abc", "instance-action": "terminate" },
    ],
    [
      { kind: "scheduled-change" },
      "AWS Health Event",
      { service: "EC2", eventTypeCategory: "scheduledChange", affectedEntities: [{ entityValue: "i-0abc" }] },
    ],
  ] as const)("%o is told as %s", (event, detailType, detail) => {
    expect(messageOf(event, instance, envelope)).toMatchObject({ "detail-type": detailType, detail });
  });

  test("two messages of one account never share an id", () => {
    const ids = Array.from({ length: 5_000 }, (_, sequence) =>
      messageOf({ kind: "spot-interruption" }, instance, { ...envelope, sequence }),
    ).map(({ id }) => id);
    expect(new Set(ids).size).toBe(5_000);
  });
});
