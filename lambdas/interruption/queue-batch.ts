import type { Message } from "#controllers/interruption.ts";

/** What Lambda hands over of a queue, as far as it is used here. */
export interface QueueBatch {
  readonly Records?: readonly { readonly messageId: string; readonly body: string }[];
}

/** Lambda: the messages named here return to the queue, the others are deleted. */
export interface BatchAnswer {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

export function messagesOf({ Records = [] }: QueueBatch): readonly Message[] {
  return Records.map(({ messageId, body }) => ({ id: messageId, body }));
}

export function batchAnswerOf(failed: readonly string[]): BatchAnswer {
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
}
