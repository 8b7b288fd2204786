import type { Instance } from "#core/instance.ts";
import type { BusMessage } from "../machine.ts";
import { hexId } from "./seeded-draw.ts";

/** What EC2 and AWS Health put on the event bus, in EventBridge's envelope. Shapes: EC2 user guide, EventBridge events. */
export type Ec2Event =
  | { readonly kind: "spot-interruption" }
  | { readonly kind: "rebalance-recommendation" }
  | { readonly kind: "state-change"; readonly state: Instance["state"] }
  | { readonly kind: "scheduled-change" }
  | { readonly kind: "capacity-reservation-interruption" };

interface Envelope {
  readonly account: string;
  readonly region: string;
  readonly nowMs: number;
  /** Makes the id: no two messages of one account share it. */
  readonly sequence: number;
}

export function messageOf(event: Ec2Event, instance: Instance, envelope: Envelope): BusMessage {
  const { account, region, nowMs, sequence } = envelope;
  const time = `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
  const base = { version: "0", id: uuidOf(`${account} ${sequence}`), account, time, region };
  const arn = `arn:aws:ec2:${region}:${account}:instance/${instance.id}`;
  switch (event.kind) {
    case "spot-interruption":
      return {
        ...base,
        source: "aws.ec2",
        "detail-type": "EC2 Spot Instance Interruption Warning",
        // This one kind names the zone in place of region and account.
        resources: [`arn:aws:ec2:${instance.zone}:instance/${instance.id}`],
        detail: { "instance-id": instance.id, "instance-action": "terminate" },
      };
    case "rebalance-recommendation":
      return {
        ...base,
        source: "aws.ec2",
        "detail-type": "EC2 Instance Rebalance Recommendation",
        resources: [arn],
        detail: { "instance-id": instance.id },
      };
    case "state-change":
      return {
        ...base,
        source: "aws.ec2",
        "detail-type": "EC2 Instance State-change Notification",
        resources: [arn],
        detail: { "instance-id": instance.id, state: event.state },
      };
    case "capacity-reservation-interruption":
      return {
        ...base,
        source: "aws.ec2",
        "detail-type": "EC2 Capacity Reservation Instance Interruption Warning",
        resources: [arn],
        detail: { "instance-id": instance.id, "instance-action": "terminate" },
      };
    case "scheduled-change":
      return {
        ...base,
        source: "aws.health",
        "detail-type": "AWS Health Event",
        resources: [instance.id],
        detail: {
          service: "EC2",
          eventTypeCategory: "scheduledChange",
          eventTypeCode: "AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED",
          eventArn: `arn:aws:health:${region}::event/EC2/AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED/${sequence}`,
          startTime: time,
          affectedEntities: [{ entityValue: instance.id }],
        },
      };
  }
}

function uuidOf(text: string): string {
  const digits = `${hexId("", text).slice(1)}${hexId("", `${text} more`).slice(1)}`;
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20, 32),
  ].join("-");
}
