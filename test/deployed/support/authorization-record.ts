import { writeFileSync } from "node:fs";
import { account } from "../../e2e/support/signed-in-cluster.ts";
import type { Authorization, StandIn } from "../../support/aws/stand-in.ts";
import { judge, type Policy } from "../../support/least-privilege/judge.ts";

/** What the functions asked of IAM, and the policies by which it is to be judged: all that a judge needs. */
export interface AuthorizationRecord {
  readonly asked: readonly Authorization[];
  /** The policies of each role, by name, as they were deployed. */
  readonly policies: Readonly<Record<string, Readonly<Record<string, Policy>>>>;
}

/** The policies of the roles of all functions that are deployed. They go with the stack. */
export async function deployedPolicies(standIn: StandIn): Promise<AuthorizationRecord["policies"]> {
  const roles = new Set((await standIn.deployed()).functions.map(({ Role }) => Role));
  return Object.fromEntries(
    await Promise.all(
      [...roles].map(
        async (role) => [role, (await standIn.policies(role)) as Readonly<Record<string, Policy>>] as const,
      ),
    ),
  );
}

/** What IAM would have refused, a line each. */
export async function refusedAmong({ asked, policies }: AuthorizationRecord): Promise<readonly string[]> {
  const refused: string[] = [];
  for (const { principal, action, resource, context } of asked) {
    const statements = Object.values(policies[principal] ?? {}).flatMap(({ Statement }) => Statement);
    const verdict = await judge(
      { Version: "2012-10-17", Statement: statements },
      { action, resource, context },
      { account },
    );
    if (verdict === "denied") refused.push(JSON.stringify({ principal, action, resource, context }));
  }
  return refused;
}

export function writeRecord(file: string, record: AuthorizationRecord): void {
  writeFileSync(file, `${JSON.stringify(record, null, 1)}\n`);
}

const ofLambda = "Lambda writes the log in the role's name";
const log = { "logs:CreateLogStream": ofLambda, "logs:PutLogEvents": ofLambda };
const catalogue = { "s3:ListBucket": "for a catalogue that is not there: S3 says so, and not that it is forbidden" };
const poller = "Lambda's poller reads the queue in the role's name";

/** Rights that a deployment's life does not use, and why they are given. */
export const unused = {
  Reconcile: {
    ...log,
    ...catalogue,
    "ec2:DescribeCapacityReservations": "for classes that select reservations",
    "ec2:DescribePlacementGroups": "for classes that select a placement group",
  },
  Interruption: {
    ...log,
    "sqs:ChangeMessageVisibility": poller,
    "sqs:DeleteMessage": poller,
    "sqs:GetQueueAttributes": poller,
    "sqs:GetQueueUrl": poller,
    "sqs:ReceiveMessage": poller,
  },
  Catalog: { ...log, ...catalogue },
  SetupFunction: log,
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What each part may do and has never done, in the order of the actions. */
export function unusedRights(
  { asked, policies }: AuthorizationRecord,
  partOf: (principal: string) => string | undefined,
): Readonly<Record<string, readonly string[]>> {
  const left: Record<string, readonly string[]> = {};
  for (const [principal, documents] of Object.entries(policies)) {
    const part = partOf(principal);
    if (part === undefined) continue;
    const used = new Set(asked.filter((one) => one.principal === principal).map(({ action }) => action));
    const statements = Object.values(documents).flatMap(({ Statement }) => Statement);
    const given = new Set(statements.flatMap((one) => (one as { readonly Action: string | readonly string[] }).Action));
    left[part] = [...given].filter((action) => !used.has(action)).sort();
  }
  return left;
}
