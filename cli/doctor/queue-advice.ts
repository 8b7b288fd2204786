import type { ClusterFacts } from "../plan/cluster-source.ts";
import { queueOfCluster } from "../redrive/command.ts";
import type { Advice } from "./advice.ts";

/** What would lose interruption messages, and those that were lost; nothing where there is no queue of ours. */
export async function queueAdvice(facts: Pick<ClusterFacts, "eks"> | undefined): Promise<readonly Advice[]> {
  if (facts === undefined) return [];
  const { redriveQueue } = await import("../redrive/queue.ts");
  const { name, region } = facts.eks;
  const answer = await redriveQueue(queueOfCluster(name), region, false);
  if (answer.kind === "unread" && !answer.isThere) return [];
  if (answer.kind === "unread") {
    const fix = "whoever looks needs sqs:GetQueueUrl and sqs:GetQueueAttributes";
    return [{ object: `queue ${queueOfCluster(name)}`, field: "attributes", found: answer.message, fix }];
  }
  const object = `queue ${answer.queue}`;
  const failed = { object, field: "failed messages", found: `${answer.failed} failed three times` };
  return [
    ...answer.problems.map((found): Advice => ({ object, field: "attributes", found, fix: "deploy the stack again" })),
    ...(answer.failed === 0
      ? []
      : [{ ...failed, fix: `outrigger redrive --cluster ${name} --region ${region} --yes` }]),
  ];
}
