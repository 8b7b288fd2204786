import type { StandIn } from "../../support/aws/stand-in.ts";
import type { DeployedFunctions } from "./deployed-functions.ts";

const pauseMs = 500;

interface QueueMessage {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly Attributes?: Readonly<Record<string, string>>;
}

/** Lambda's pollers: batches of each queue that feeds a function; what the function took is deleted, the rest comes again. */
export class QueuePoller {
  readonly #standIn: StandIn;
  readonly #functions: DeployedFunctions;
  #stopped = false;

  constructor(standIn: StandIn, functions: DeployedFunctions) {
    this.#standIn = standIn;
    this.#functions = functions;
  }

  async run(): Promise<void> {
    while (!this.#stopped) {
      const { feeds } = await this.#standIn.deployed().catch(() => ({ feeds: [] }));
      // A queue that is gone meanwhile has nothing more to say.
      for (const feed of feeds) await this.#poll(feed).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  stop(): void {
    this.#stopped = true;
  }

  async #poll(feed: {
    readonly EventSourceArn: string;
    readonly FunctionArn: string;
    readonly BatchSize: number;
  }): Promise<void> {
    const [, , , , account = "", queue = ""] = feed.EventSourceArn.split(":");
    const QueueUrl = `${this.#standIn.endpoint}/${account}/${queue}`;
    const received = await this.#call("ReceiveMessage", {
      ...{ QueueUrl, MaxNumberOfMessages: feed.BatchSize, MessageSystemAttributeNames: ["All"] },
    });
    const { Messages = [] } = received as { readonly Messages?: readonly QueueMessage[] };
    if (Messages.length === 0) return;
    const { ended } = await this.#functions.invoke(feed.FunctionArn, {
      Records: Messages.map((message) => recordOf(message, feed.EventSourceArn, this.#standIn.region)),
    });
    if (ended.kind !== "answered") return;
    const failed = failedOf(ended.answer);
    for (const { MessageId, ReceiptHandle } of Messages) {
      if (!failed.has(MessageId)) await this.#call("DeleteMessage", { QueueUrl, ReceiptHandle });
    }
  }

  async #call(action: string, body: object): Promise<unknown> {
    const answer = await fetch(this.#standIn.endpoint, {
      method: "POST",
      headers: {
        "content-type": "application/x-amz-json-1.0",
        "x-amz-target": `AmazonSQS.${action}`,
        authorization: `AWS4-HMAC-SHA256 Credential=test/20260101/${this.#standIn.region}/sqs/aws4_request, SignedHeaders=host, Signature=0`,
      },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`SQS ${action}: ${await answer.text()}`);
    const text = await answer.text();
    return text === "" ? {} : JSON.parse(text);
  }
}

function recordOf({ MessageId, ReceiptHandle, Body, Attributes = {} }: QueueMessage, arn: string, region: string) {
  return {
    ...{ messageId: MessageId, receiptHandle: ReceiptHandle, body: Body, attributes: Attributes },
    ...{ messageAttributes: {}, eventSource: "aws:sqs", eventSourceARN: arn, awsRegion: region },
  };
}

function failedOf(answer: unknown): ReadonlySet<string> {
  const { batchItemFailures = [] } = (answer ?? {}) as {
    readonly batchItemFailures?: readonly { readonly itemIdentifier: string }[];
  };
  return new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
}
