import { faultOf } from "#aws/fault-table.ts";
import { queueNameOf, readQueue } from "#aws/queue-facts.ts";
import { setupClients } from "#aws/setup-clients.ts";
import { queueProblems } from "#ec2/setup/preflight.ts";
import { redrive } from "./redrive.ts";

export interface QueueFound {
  readonly queue: string;
  /** Messages that nobody has read yet. */
  readonly waiting: number;
  readonly failed: number;
  readonly problems: readonly string[];
  /** Set when they were to be delivered once more. */
  readonly moved?: number;
  readonly refused?: number;
}

export type QueueAnswer =
  | ({ readonly kind: "read" } & QueueFound)
  | { readonly kind: "unread"; readonly isThere: boolean; readonly message: string };

/** What there is to say of a queue; with `yes` its failed messages are put back. */
export async function redriveQueue(named: string, region: string, yes: boolean): Promise<QueueAnswer> {
  const endpoint = process.env.AWS_ENDPOINT_URL ?? "";
  const { sqs } = setupClients({ region, ...(endpoint === "" ? {} : { endpoint }) });
  try {
    const facts = await readQueue(sqs, named);
    const failed = facts.deadLetterArn === undefined ? undefined : await readQueue(sqs, facts.deadLetterArn);
    const moved = yes && failed !== undefined ? await redrive(sqs, failed.arn, facts.arn) : {};
    const { name: queue, messages: waiting } = facts;
    const problems = queueProblems(facts);
    return { kind: "read", queue, waiting, failed: failed?.messages ?? 0, problems, ...moved };
  } catch (error) {
    const { kind, code, message } = faultOf(error);
    const isThere = kind !== "not-found" && !/NonExistentQueue|QueueDoesNotExist/.test(code);
    return { kind: "unread", isThere, message: `${queueNameOf(named)} in ${region}: ${message} (${code})` };
  } finally {
    sqs.destroy();
  }
}
