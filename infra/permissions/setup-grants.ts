import type { Grant } from "./grant.ts";
import type { Place } from "./place.ts";

export interface SetupTargets {
  readonly queueArn: string;
  readonly catalogArn: string;
  readonly stackId: string;
}

/** What `setup` needs beside what the loop has: each of it on one resource of this stack or this cluster. */
export function setupGrants(
  { partition, region, account, clusterName }: Place,
  { queueArn, catalogArn, stackId }: SetupTargets,
): readonly Grant[] {
  const eks = `arn:${partition}:eks:${region}:${account}`;
  return [
    { sid: "LetNodesIn", actions: ["eks:CreateAccessEntry"], resources: [`${eks}:cluster/${clusterName}`] },
    { sid: "LookAtOwnQueue", actions: ["sqs:GetQueueAttributes", "sqs:GetQueueUrl"], resources: [queueArn] },
    { sid: "StartCatalogue", actions: ["lambda:InvokeFunction"], resources: [catalogArn] },
    // Whether the whole stack goes, or this resource alone.
    { sid: "LookAtOwnStack", actions: ["cloudformation:DescribeStacks"], resources: [stackId] },
  ];
}
