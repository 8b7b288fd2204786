import type { EventPattern } from "aws-cdk-lib/aws-events";

/**
 * The five kinds that Karpenter acts on, by the part of the rule's name. Karpenter sorts out in its code what these
 * patterns do not let in: each message wakes a function here.
 */
export const interruptionPatterns = {
  spot: { source: ["aws.ec2"], detailType: ["EC2 Spot Instance Interruption Warning"] },
  rebalance: { source: ["aws.ec2"], detailType: ["EC2 Instance Rebalance Recommendation"] },
  state: {
    source: ["aws.ec2"],
    detailType: ["EC2 Instance State-change Notification"],
    detail: { state: ["stopping", "stopped", "shutting-down", "terminated"] },
  },
  health: {
    source: ["aws.health"],
    detailType: ["AWS Health Event"],
    detail: { service: ["EC2"], eventTypeCategory: ["scheduledChange"] },
  },
  reservation: {
    source: ["aws.ec2"],
    detailType: ["EC2 Capacity Reservation Instance Interruption Warning"],
  },
} as const satisfies Readonly<Record<string, EventPattern>>;
