import { Duration, Stack } from "aws-cdk-lib";
import { Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { partName } from "#aws/part-name.ts";
import { queueTiming } from "#ec2/setup/queue-timing.ts";
import { interruptionPatterns } from "./event-patterns.ts";

/** SQS: the longest name. */
const nameLengthMax = 80;
/** SQS: the longest. A record that failed waits there for a person. */
const deadRetentionDays = 14;
const batchSize = 10;
/** A new account runs ten functions at a time; a storm of messages leaves some for the loop and for others. */
const atATimeMax = 5;

export interface InterruptionQueueProps {
  readonly clusterName: string;
  /** Absent: keys of SQS itself, which EventBridge can use as they are. */
  readonly encryptionKey?: IKey;
}

/** The cluster's own queue of EC2's messages, the rules that fill it, and the queue of those that failed. */
export class InterruptionQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetterQueue: Queue;

  constructor(scope: Construct, id: string, { clusterName, encryptionKey }: InterruptionQueueProps) {
    super(scope, id);
    const common = {
      enforceSSL: true,
      ...(encryptionKey === undefined
        ? { encryption: QueueEncryption.SQS_MANAGED }
        : { encryption: QueueEncryption.KMS, encryptionMasterKey: encryptionKey }),
    };
    this.deadLetterQueue = new Queue(this, "Failed", {
      ...common,
      queueName: partName(clusterName, "failed", nameLengthMax),
      retentionPeriod: Duration.days(deadRetentionDays),
    });
    this.queue = new Queue(this, "Queue", {
      ...common,
      queueName: partName(clusterName, "interruptions", nameLengthMax),
      visibilityTimeout: Duration.seconds(queueTiming.visibilitySeconds),
      retentionPeriod: Duration.seconds(queueTiming.retentionSeconds),
      deadLetterQueue: { queue: this.deadLetterQueue, maxReceiveCount: queueTiming.receivesMax },
    });
    if (encryptionKey !== undefined) letEventBridgeUse(encryptionKey);
    this.#addRules(clusterName);
  }

  feed(handler: IFunction): void {
    const source = new SqsEventSource(this.queue, {
      batchSize,
      maxConcurrency: atATimeMax,
      reportBatchItemFailures: true,
    });
    handler.addEventSource(source);
  }

  #addRules(clusterName: string): void {
    const target = new SqsQueue(this.queue, { deadLetterQueue: this.deadLetterQueue });
    for (const [part, eventPattern] of Object.entries(interruptionPatterns)) {
      new Rule(this, part, {
        ruleName: partName(clusterName, part),
        description: `${eventPattern.detailType[0]}, for the nodes of ${clusterName}`,
        eventPattern,
        targets: [target],
      });
    }
  }
}

/**
 * Without this EventBridge drops the message and says nothing. The key does not name the queues, since they name the key:
 * it serves both of them, and the other one is written to as well.
 */
function letEventBridgeUse(key: IKey): void {
  const { account } = Stack.of(key);
  key.addToResourcePolicy(
    new PolicyStatement({
      sid: "EventBridgeWritesToEncryptedQueues",
      principals: [new ServicePrincipal("events.amazonaws.com")],
      actions: ["kms:Decrypt", "kms:GenerateDataKey*"],
      resources: ["*"],
      conditions: { StringEquals: { "aws:SourceAccount": account } },
    }),
  );
}
