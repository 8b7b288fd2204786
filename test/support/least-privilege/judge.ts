import { runSimulation } from "@cloud-copilot/iam-simulate";
import type { AccountFacts, Asked } from "./asked.ts";

export interface Policy {
  readonly Version: string;
  readonly Statement: readonly object[];
}

/** What IAM would answer to whoever has this policy and no other. */
export async function judge(
  policy: Policy,
  { action, resource, context }: Asked,
  { account }: Pick<AccountFacts, "account">,
): Promise<"allowed" | "denied"> {
  const result = await runSimulation(
    {
      request: {
        principal: `arn:aws:iam::${account}:role/reconcile`,
        action,
        resource: { resource, accountId: account },
        contextVariables: { ...context },
      },
      identityPolicies: [{ name: "own", policy }],
      serviceControlPolicies: [],
      resourceControlPolicies: [],
    },
    {},
  );
  if (result.resultType === "error") throw new Error(`${action} on ${resource}: ${JSON.stringify(result.errors)}`);
  return result.overallResult === "Allowed" ? "allowed" : "denied";
}
