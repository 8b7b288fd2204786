import { describe, expect, test } from "vitest";
import { parseMessage } from "./message.ts";

const time = "2026-11-30T12:00:00Z";
const atMs = Date.parse(time);

function event(detailType: string, detail: unknown, more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ version: "0", id: "1", source: "aws.ec2", "detail-type": detailType, time, detail, ...more });
}

const health = (detail: unknown): string => event("AWS Health Event", detail, { source: "aws.health" });

describe("messages that are acted on", () => {
  test.each([
    ["EC2 Spot Instance Interruption Warning", "spot-interruption"],
    ["EC2 Instance Rebalance Recommendation", "rebalance"],
    ["EC2 Capacity Reservation Instance Interruption Warning", "capacity-reservation-interruption"],
  ])("%s", (detailType, kind) =>
    expect(parseMessage(event(detailType, { "instance-id": "i-1", "instance-action": "terminate" }))).toEqual({
      kind: "notices",
      notices: [{ instanceId: "i-1", kind, atMs }],
    }),
  );

  test.each([
    ["stopping", "stopping"],
    ["stopped", "stopping"],
    ["shutting-down", "terminated"],
    ["terminated", "terminated"],
    ["Terminated", "terminated"],
  ])("an instance whose state is %s", (state, kind) =>
    expect(parseMessage(event("EC2 Instance State-change Notification", { "instance-id": "i-1", state }))).toEqual({
      kind: "notices",
      notices: [{ instanceId: "i-1", kind, atMs }],
    }),
  );

  test("a scheduled change of EC2 names every affected instance, each once", () => {
    const affectedEntities = [
      { entityValue: "i-1" },
      { entityValue: "i-2" },
      { entityValue: "i-1" },
      { entityValue: "i-3" },
    ];
    const answer = parseMessage(health({ service: "EC2", eventTypeCategory: "scheduledChange", affectedEntities }));
    expect(answer.kind === "notices" && answer.notices.map(({ instanceId }) => instanceId)).toEqual([
      "i-1",
      "i-2",
      "i-3",
    ]);
  });

  test("an envelope that is parsed already, and one without a time", () => {
    const { time: _, ...envelope } = JSON.parse(
      event("EC2 Instance Rebalance Recommendation", { "instance-id": "i-1" }),
    );
    expect(parseMessage(envelope)).toEqual({ kind: "notices", notices: [{ instanceId: "i-1", kind: "rebalance" }] });
  });
});

describe("messages that ask for nothing", () => {
  test.each([
    event("EC2 Instance State-change Notification", { "instance-id": "i-1", state: "running" }),
    event("EC2 Instance State-change Notification", { "instance-id": "i-1", state: "constructor" }),
    health({ service: "ES", eventTypeCategory: "scheduledChange", affectedEntities: [{ entityValue: "i-1" }] }),
    health({ service: "EC2", eventTypeCategory: "issue", affectedEntities: [{ entityValue: "i-1" }] }),
  ])("foreign %#", (body) => expect(parseMessage(body).kind).toBe("foreign"));

  test.each([
    event("EC2 Spot Instance Interruption Warning", { "instance-id": "i-1" }, { version: "1" }),
    event("EC2 Spot Instance Interruption Warning", { "instance-id": "i-1" }, { version: 0.5 }),
    event("EC2 Spot Instance Interruption Warning", { "instance-id": "i-1" }, { source: "" }),
    event("EC2 Spot Instance Interruption Warning", { "instance-id": "i-1" }, { source: "aws.health" }),
    event("ec2 spot instance interruption warning", { "instance-id": "i-1" }),
    event("EBS Volume Notification", {}),
    event("EC2 Instance Launch", { "instance-id": "i-1" }),
  ])("unknown %#", (body) => expect(parseMessage(body).kind).toBe("unknown"));
});

describe("malformed messages", () => {
  test.each([
    "abcd",
    "",
    '""',
    "null",
    "[]",
    "{}",
    "7",
    undefined,
    null,
    [],
    {},
    "x".repeat(262_144),
    `{"a":"${"x".repeat(262_000)}"}`,
    event("EC2 Spot Instance Interruption Warning", {}),
    event("EC2 Spot Instance Interruption Warning", null),
    event("EC2 Spot Instance Interruption Warning", { "instance-id": 7 }),
    event("EC2 Instance State-change Notification", { "instance-id": "i-1" }),
    event("EC2 Instance State-change Notification", { state: "terminated" }),
    health({ service: "EC2", eventTypeCategory: "scheduledChange" }),
    health({ service: "EC2", eventTypeCategory: "scheduledChange", affectedEntities: [] }),
    health({ service: "EC2", eventTypeCategory: "scheduledChange", affectedEntities: [null, {}, { entityValue: 1 }] }),
  ])("%#", (body) => expect(parseMessage(body).kind).toBe("malformed"));
});
