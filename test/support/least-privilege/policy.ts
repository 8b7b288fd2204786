import type { Policy } from "./judge.ts";

/** Where a template is deployed, and its resources by logical id. */
export interface DeployedTemplate {
  readonly account: string;
  readonly region: string;
  readonly resources: Readonly<
    Record<string, { readonly Type: string; readonly Properties?: Readonly<Record<string, unknown>> }>
  >;
}

/** The policy as IAM gets it: what CloudFormation fills in is filled in. */
export function filledIn(statements: readonly object[], template: DeployedTemplate): Policy {
  return { Version: "2012-10-17", Statement: statements.map((statement) => fill(statement, template) as object) };
}

function fill(value: unknown, template: DeployedTemplate): unknown {
  if (Array.isArray(value)) return value.map((each) => fill(each, template));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const [[name, inner] = ["", undefined]] = entries;
  if (entries.length === 1 && name === "Ref") return referred(String(inner), template);
  if (entries.length === 1 && name === "Fn::GetAtt") return arnOf((inner as readonly string[])[0] ?? "", template);
  if (entries.length === 1 && name === "Fn::Join") {
    const [separator, parts] = inner as readonly [string, readonly unknown[]];
    return parts.map((each) => fill(each, template)).join(separator);
  }
  return Object.fromEntries(entries.map(([key, each]) => [key, fill(each, template)]));
}

function referred(name: string, { region, account }: DeployedTemplate): string {
  if (name === "AWS::Partition") return "aws";
  if (name === "AWS::StackId") return `arn:aws:cloudformation:${region}:${account}:stack/own/0123`;
  throw new Error(`a policy refers to ${name}: say here what it is`);
}

function arnOf(id: string, { region, account, resources }: DeployedTemplate): string {
  const { Type, Properties: { FunctionName, QueueName, LogGroupName } = {} } = resources[id] ?? {};
  const arn = (service: string, path: unknown): string => `arn:aws:${service}:${region}:${account}:${String(path)}`;
  switch (Type) {
    case "AWS::Lambda::Function":
      return arn("lambda", `function:${String(FunctionName)}`);
    case "AWS::SQS::Queue":
      return arn("sqs", QueueName);
    case "AWS::Logs::LogGroup":
      return arn("logs", `log-group:${String(LogGroupName)}:*`);
    case "AWS::IAM::Role":
      return `arn:aws:iam::${account}:role/${id}`;
    case "AWS::S3::Bucket":
      return `arn:aws:s3:::${id.toLowerCase()}`;
    default:
      throw new Error(`a policy names the ARN of ${id}, a ${String(Type)}: say here what it is`);
  }
}
