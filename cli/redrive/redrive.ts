import {
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { queueUrlOf } from "#aws/queue-facts.ts";

/** SQS: of one call. */
const batchMax = 10;
/** A queue that fills as fast as it is emptied must not hold anybody for ever. */
const batchesMax = 1_000;
/** Two empty answers in a row: SQS may hide messages from one. */
const emptyMax = 2;

export interface Redriven {
  readonly moved: number;
  /** Messages that the queue refused; they stay where they were. */
  readonly refused: number;
}

/** Puts the messages of `from` into `to`, each sent before it is deleted: at worst one is there twice, which changes nothing. */
export async function redrive(sqs: SQSClient, from: string, to: string): Promise<Redriven> {
  const [source, target] = [await queueUrlOf(sqs, from), await queueUrlOf(sqs, to)];
  let [moved, refused, empty] = [0, 0, 0];
  for (let batch = 0; batch < batchesMax && empty < emptyMax; batch++) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: source, MaxNumberOfMessages: batchMax, WaitTimeSeconds: 1 }),
    );
    if (Messages.length === 0) {
      empty++;
      continue;
    }
    empty = 0;
    const entries = Messages.map(({ Body = "" }, index) => ({ Id: String(index), MessageBody: Body }));
    const { Successful = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl: target, Entries: entries }));
    const sent = Successful.flatMap(({ Id }) => Messages[Number(Id)] ?? []);
    const Entries = sent.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    if (Entries.length > 0) await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: source, Entries }));
    moved += sent.length;
    refused += Messages.length - sent.length;
  }
  return { moved, refused };
}
