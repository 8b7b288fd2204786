import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readQueue } from "#aws/queue-facts.ts";
import { queueAdvice } from "../../cli/doctor/queue-advice.ts";
import { main } from "../../cli/outrigger.ts";
import { StandIn } from "../support/aws/stand-in.ts";

let standIn: StandIn;
let sqs: SQSClient;
let failedUrl = "";

beforeAll(async () => {
  standIn = await StandIn.start();
  const { endpoint, region } = standIn;
  process.env.AWS_ENDPOINT_URL = endpoint;
  process.env.AWS_ACCESS_KEY_ID = "test";
  process.env.AWS_SECRET_ACCESS_KEY = "test";
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  sqs = new SQSClient({ endpoint, region, credentials, useQueueUrlAsEndpoint: false });
});
afterAll(() => standIn.stop());

beforeEach(async () => {
  await standIn.reset();
  const { QueueUrl = "" } = await sqs.send(new CreateQueueCommand({ QueueName: "outrigger-blue-failed" }));
  failedUrl = QueueUrl;
  const deadLetterTargetArn = `arn:aws:sqs:${standIn.region}:123456789012:outrigger-blue-failed`;
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 3 });
  const Attributes = { VisibilityTimeout: "90", MessageRetentionPeriod: "3600", RedrivePolicy };
  await sqs.send(new CreateQueueCommand({ QueueName: "outrigger-blue-interruptions", Attributes }));
});

async function outrigger(...words: readonly string[]) {
  const said: string[] = [];
  const terminal = {
    out: (text: string) => said.push(text),
    error: (text: string) => said.push(text),
    isColorful: false,
  };
  const code = await main(
    ["redrive", "--region", standIn.region, ...words],
    terminal as unknown as Parameters<typeof main>[1],
  );
  return { code, said: said.join("") };
}

async function fail(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await sqs.send(new SendMessageCommand({ QueueUrl: failedUrl, MessageBody: `m${n}` }));
}

const waitingIn = async (QueueUrl: string): Promise<string | undefined> =>
  (await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["ApproximateNumberOfMessages"] })))
    .Attributes?.ApproximateNumberOfMessages;

test("messages that failed are told, and moved when that is asked for", async () => {
  await fail(23);
  expect(await outrigger("--cluster", "blue")).toEqual({
    code: 1,
    said: "outrigger-blue-interruptions: 23 messages failed three times\n--yes has them delivered once more\n",
  });
  expect(await waitingIn(failedUrl)).toBe("23");
  const moved = await outrigger("--cluster", "blue", "--yes", "--json");
  expect(JSON.parse(moved.said)).toMatchObject({ failed: 23, moved: 23, refused: 0, problems: [] });
  expect(moved.code).toBe(0);
  expect(await waitingIn(failedUrl)).toBe("0");
  expect(await waitingIn(failedUrl.replace("failed", "interruptions"))).toBe("23");
});

test("with nothing to do it says so", async () => {
  expect(await outrigger("--cluster", "blue")).toMatchObject({
    code: 0,
    said: expect.stringContaining("no message failed"),
  });
});

test("a queue that is not there, or not named, is bad input", async () => {
  expect((await outrigger("--cluster", "green")).code).toBe(2);
  expect(await outrigger()).toEqual({ code: 2, said: "name --cluster or --queue\n" });
});

test("a queue is known by name, URL and ARN (users' row 55)", async () => {
  const arn = `arn:aws:sqs:${standIn.region}:123456789012:outrigger-blue-interruptions`;
  const [one, ...others] = await Promise.all(
    ["outrigger-blue-interruptions", failedUrl.replace("failed", "interruptions"), arn].map((named) =>
      readQueue(sqs, named),
    ),
  );
  expect(one).toMatchObject({ visibilitySeconds: 90, retentionSeconds: 3_600, receivesMax: 3 });
  for (const other of others) expect(other).toEqual(one);
});

describe("the queue's part of outrigger doctor", () => {
  const adviceOn = (name: string) => queueAdvice({ eks: { name, region: standIn.region } });

  test("says nothing of a queue that is as it is deployed, and of none", async () => {
    expect(await adviceOn("blue")).toEqual([]);
    expect(await adviceOn("green")).toEqual([]);
  });

  test("counts what failed and names the command that brings it back", async () => {
    await fail(2);
    expect(await adviceOn("blue")).toEqual([
      {
        object: "queue outrigger-blue-interruptions",
        field: "failed messages",
        found: "2 failed three times",
        fix: `outrigger redrive --cluster blue --region ${standIn.region} --yes`,
      },
    ]);
  });

  test("finds attributes that somebody has changed", async () => {
    const QueueUrl = failedUrl.replace("failed", "interruptions");
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { VisibilityTimeout: "30" } }));
    expect(await adviceOn("blue")).toMatchObject([
      { found: expect.stringContaining("30 s is less than 90 s"), fix: "deploy the stack again" },
    ]);
  });

  test("says that it may not look, in place of nothing", async () => {
    await standIn.fault({ action: "GetQueueUrl", code: "AccessDenied", status: 403, message: "not authorized" });
    expect(await adviceOn("blue")).toMatchObject([
      { found: expect.stringContaining("AccessDenied"), fix: expect.stringContaining("sqs:GetQueueAttributes") },
    ]);
  });
});
