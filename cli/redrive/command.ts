import { Command } from "commander";
import { partName } from "#aws/part-name.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";
import type { QueueFound } from "./queue.ts";

interface RedriveOptions {
  readonly cluster?: string;
  readonly queue?: string;
  readonly region?: string;
  readonly yes: boolean;
  readonly json: boolean;
}

const details = `
Examples:
  outrigger redrive --cluster blue --region eu-west-1
  outrigger redrive --queue outrigger-blue-interruptions --region eu-west-1 --yes

Without --yes it only tells how many messages failed three times, and what is wrong with the queue. With --yes they are
delivered once more: what they ask for is done, or they come back.

Exit codes: 0 nothing to do, or done; 1 messages wait, or something is wrong with the queue; 2 bad input; 3 no access.`;

/** SQS: the longest name of a queue. */
const queueNameMax = 80;

/** The queue of a cluster, by the name that the stack gives it. */
export function queueOfCluster(cluster: string): string {
  return partName(cluster, "interruptions", queueNameMax);
}

/** `outrigger redrive`; `answer` is told the exit code. */
export function redriveCommand(terminal: Terminal, answer: (code: ExitCode) => void): Command {
  return new Command("redrive")
    .description("Tell of the interruption messages that failed, and have them delivered once more.")
    .option("--cluster <name>", "the cluster whose queue it is")
    .option("--queue <queue>", "the queue itself, by name, URL or ARN; the stack's output Queue")
    .option("--region <region>", "where the queue is", process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION)
    .option("--yes", "deliver them", false)
    .option("--json", "print one JSON document and nothing else", false)
    .addHelpText("after", details)
    .action(async (options: RedriveOptions) => answer(await run(options, terminal)));
}

async function run({ cluster, queue, region, yes, json }: RedriveOptions, terminal: Terminal): Promise<ExitCode> {
  const named = queue ?? (cluster === undefined ? undefined : queueOfCluster(cluster));
  if (named === undefined || region === undefined) {
    terminal.error(`name ${named === undefined ? "--cluster or --queue" : "--region"}\n`);
    return exitCode.badInput;
  }
  // Its client takes a while to load, which no other command need pay.
  const { redriveQueue } = await import("./queue.ts");
  const answer = await redriveQueue(named, region, yes);
  if (answer.kind === "unread") {
    terminal.error(`${answer.message}\n`);
    return answer.isThere ? exitCode.noAccess : exitCode.badInput;
  }
  const { kind: _, ...facts } = answer;
  terminal.out(json ? `${JSON.stringify(facts, null, 2)}\n` : `${told(facts).join("\n")}\n`);
  const isLeft = facts.moved === undefined ? facts.failed > 0 : (facts.refused ?? 0) > 0;
  return isLeft || facts.problems.length > 0 ? exitCode.found : exitCode.done;
}

function told({ queue, failed, problems, moved, refused = 0 }: QueueFound): readonly string[] {
  const found = failed === 0 ? `${queue}: no message failed` : `${queue}: ${failed} messages failed three times`;
  const done =
    moved === undefined ? [] : [`${moved} are delivered once more${refused === 0 ? "" : `, ${refused} were refused`}`];
  const next = moved === undefined && failed > 0 ? ["--yes has them delivered once more"] : [];
  return [found, ...done, ...next, ...problems];
}
