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
