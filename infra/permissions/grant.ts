import { Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";

type Conditions = Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;

/** A statement of a policy. */
export interface Grant {
  readonly sid: string;
  /** @default "Allow" */
  readonly effect?: "Deny";
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions?: Conditions;
  /** Why a resource cannot be named more closely; there where one has a wildcard. */
  readonly wildcard?: string;
}

export interface GrantOptions {
  /** Roles that instances may be given. */
  readonly nodeRoleArns: readonly string[];
  /** Paths of SSM parameters beside AWS's own. */
  readonly ssmParameters: readonly string[];
}

export function statementOf({ sid, effect, actions, resources, conditions }: Grant): PolicyStatement {
  return new PolicyStatement({
    sid,
    effect: effect === "Deny" ? Effect.DENY : Effect.ALLOW,
    actions: [...actions],
    resources: [...resources],
    ...(conditions === undefined ? {} : { conditions }),
  });
}
