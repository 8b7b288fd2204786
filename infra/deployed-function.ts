import { Duration, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import { Effect, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Architecture, Function as LambdaFunction, LoggingFormat, Runtime } from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { partName } from "#aws/part-name.ts";
import type { FunctionName } from "./bundle.ts";
import { functionCode, handlerName } from "./function-code.ts";
import { type Grant, statementOf } from "./permissions/grant.ts";
import { wildcardFindings } from "./policy-findings.ts";
import { networkGrants, type VpcPlacement } from "./vpc-placement.ts";

export interface DeployedFunctionProps {
  readonly clusterName: string;
  readonly name: FunctionName;
  readonly description: string;
  readonly memoryMB: number;
  readonly timeoutSeconds: number;
  readonly logRetentionDays: number;
  readonly variables: Readonly<Record<string, string>>;
  readonly grants: readonly Grant[];
  /** Absent: outside of any VPC. */
  readonly placement?: VpcPlacement;
  /** How often Lambda tries again what failed, and how old it may be then; absent: Lambda's own rule. */
  readonly again?: { readonly attemptsMax: number; readonly ageMaxSeconds: number };
}

/** One function with its log group, and a role that may do what its grants say, write to that log, and nothing else. */
export class DeployedFunction extends Construct {
  readonly function: LambdaFunction;
  readonly role: Role;

  constructor(scope: Construct, id: string, props: DeployedFunctionProps) {
    super(scope, id);
    const functionName = partName(props.clusterName, props.name);
    const logGroup = new LogGroup(this, "Log", {
      logGroupName: `/aws/lambda/${functionName}`,
      retention: props.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.role = new Role(this, "Role", {
      assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
      description: `Outrigger, ${props.name}, EKS cluster ${props.clusterName}`,
    });
    this.role.addToPolicy(
      new PolicyStatement({
        sid: "WriteOwnLog",
        effect: Effect.ALLOW,
        actions: ["logs:CreateLogStream", "logs:PutLogEvents"],
        resources: [logGroup.logGroupArn],
      }),
    );
    const { partition, region, account } = Stack.of(this);
    const arn = `arn:${partition}:lambda:${region}:${account}:function:${functionName}`;
    const network = props.placement === undefined ? [] : networkGrants(arn);
    for (const grant of [...props.grants, ...network]) this.#allow(grant);
    this.function = new LambdaFunction(this, "Function", {
      functionName,
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: functionCode(props.name),
      handler: handlerName,
      memorySize: props.memoryMB,
      timeout: Duration.seconds(props.timeoutSeconds),
      environment: { ...props.variables },
      role: this.role,
      logGroup,
      // Lines are JSON already; Lambda is not to wrap them once more.
      loggingFormat: LoggingFormat.TEXT,
      ...placed(props.placement),
    });
    if (props.again !== undefined) {
      this.function.configureAsyncInvoke({
        retryAttempts: props.again.attemptsMax,
        maxEventAge: Duration.seconds(props.again.ageMaxSeconds),
      });
    }
  }

  #allow(grant: Grant): void {
    this.role.addToPolicy(statementOf(grant));
    const { wildcard: reason, resources } = grant;
    if (reason === undefined) return;
    for (const id of wildcardFindings(this, resources)) Validations.of(this.role).acknowledge({ id, reason });
  }
}

function placed(placement: VpcPlacement | undefined) {
  if (placement === undefined) return {};
  const { vpc, subnets, securityGroups } = placement;
  return { vpc, vpcSubnets: { subnets: [...subnets] }, securityGroups: [...securityGroups] };
}
