import { Stack } from "aws-cdk-lib";
import { CfnManagedPolicy, CfnPolicy, CfnRole } from "aws-cdk-lib/aws-iam";
import type { IConstruct } from "constructs";

/** How cdk-nag names a wildcard in a resource, one finding each. */
export function wildcardFindings(scope: IConstruct, resources: readonly string[]): readonly string[] {
  const stack = Stack.of(scope);
  return resources
    .map((resource) => readable(stack.resolve(resource)))
    .filter((resource) => resource.includes("*"))
    .map((resource) => `AwsSolutions-IAM5[Resource::${resource}]`);
}

/** The findings that a policy, or a role with policies of AWS, gives rise to. */
export function policyFindings(construct: IConstruct): readonly string[] {
  if (construct instanceof CfnRole) {
    const arns = Stack.of(construct).resolve(construct.managedPolicyArns ?? []) as readonly unknown[];
    return arns.map((arn) => `AwsSolutions-IAM4[Policy::${readable(arn)}]`);
  }
  if (!(construct instanceof CfnPolicy || construct instanceof CfnManagedPolicy)) return [];
  const { Statement } = Stack.of(construct).resolve(construct.policyDocument) as {
    readonly Statement: readonly { readonly Resource: unknown }[];
  };
  const resources = Statement.flatMap(({ Resource }) => (Array.isArray(Resource) ? Resource : [Resource]) as unknown[]);
  return [...new Set(resources.map(readable))]
    .filter((resource) => resource.includes("*"))
    .map((resource) => `AwsSolutions-IAM5[Resource::${resource}]`);
}

/** A value as cdk-nag shows it: what CloudFormation fills in stands in angle brackets. */
function readable(value: unknown): string {
  if (typeof value === "string") return value;
  const [[name, inner] = ["", undefined]] = Object.entries(value as Readonly<Record<string, unknown>>);
  if (name === "Fn::Join") {
    const [separator, parts] = inner as readonly [string, readonly unknown[]];
    return parts.map(readable).join(separator);
  }
  return `<${Array.isArray(inner) ? inner.join(".") : String(inner)}>`;
}
