import { runSimulation } from "@cloud-copilot/iam-simulate";
import type { Authorization } from "../aws/stand-in.ts";

export interface Policy {
  readonly Version: string;
  readonly Statement: readonly object[];
}

/** What IAM is asked: an action on a resource, under condition keys. */
export type Question = Omit<Authorization, "principal">;

/** AWS's own parameters belong to no account. The simulator takes no such ARN; this one stands for nobody. */
const nobody = "000000000000";

/** What IAM would answer to whoever has this policy and no other. */
export async function judge(
  policy: Policy,
  { action, resource, context }: Question,
  { account }: { readonly account: string },
): Promise<"allowed" | "denied"> {
  const result = await runSimulation(
    {
      request: {
        principal: `arn:aws:iam::${account}:role/somebody`,
        action,
        resource: { resource: withOwner(resource), accountId: account },
        contextVariables: { ...context },
      },
      identityPolicies: [{ name: "own", policy: JSON.parse(withOwner(JSON.stringify(policy))) as Policy }],
      serviceControlPolicies: [],
      resourceControlPolicies: [],
    },
    {},
  );
  if (result.resultType === "error") throw new Error(`${action} on ${resource}: ${JSON.stringify(result.errors)}`);
  return result.overallResult === "Allowed" ? "allowed" : "denied";
}

function withOwner(text: string): string {
  return text.replace(/(arn:aws:ssm:[^:"]*:):parameter/g, `$1${nobody}:parameter`);
}
