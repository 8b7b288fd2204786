import { GetQueueAttributesCommand, GetQueueUrlCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { QueueFacts } from "#ec2/setup/preflight.ts";

/** The name of a queue of which a name, a URL or an ARN is given. */
export function queueNameOf(named: string): string {
  return named.split(/[/:]/).at(-1) ?? named;
}

export async function queueUrlOf(sqs: SQSClient, named: string): Promise<string> {
  const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: queueNameOf(named) }));
  if (QueueUrl === undefined) throw new Error(`SQS gives no URL for ${named}`);
  return QueueUrl;
}

export interface QueueState extends QueueFacts {
  readonly messages: number;
  readonly arn: string;
  /** The queue of those that failed, by its ARN. */
  readonly deadLetterArn?: string;
}

/** `named`: the queue's name, URL or ARN. Rejects as the SDK does. */
export async function readQueue(sqs: SQSClient, named: string): Promise<QueueState> {
  const QueueUrl = await queueUrlOf(sqs, named);
  const AttributeNames = [
    "QueueArn",
    "VisibilityTimeout",
    "MessageRetentionPeriod",
    "RedrivePolicy",
    "ApproximateNumberOfMessages",
  ] as const;
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...AttributeNames] }),
  );
  const redrive = redriveOf(Attributes.RedrivePolicy);
  return {
    name: queueNameOf(named),
    arn: Attributes.QueueArn ?? "",
    visibilitySeconds: Number(Attributes.VisibilityTimeout ?? 0),
    retentionSeconds: Number(Attributes.MessageRetentionPeriod ?? 0),
    messages: Number(Attributes.ApproximateNumberOfMessages ?? 0),
    ...redrive,
  };
}

function redriveOf(policy: string | undefined): Pick<QueueState, "receivesMax" | "deadLetterArn"> {
  if (policy === undefined || policy === "") return {};
  const { maxReceiveCount, deadLetterTargetArn } = JSON.parse(policy) as Readonly<Record<string, unknown>>;
  return { receivesMax: Number(maxReceiveCount), deadLetterArn: String(deadLetterTargetArn) };
}
