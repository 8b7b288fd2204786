import { App, type Environment } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import type { ClusterConfig } from "../../infra/clusters.ts";
import { addStacks } from "../../infra/outrigger-stack.ts";
import type { Policy } from "../support/least-privilege/judge.ts";
import { filledIn } from "../support/least-privilege/policy.ts";

export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly DeletionPolicy?: string;
}

export interface Statement {
  readonly Sid?: string;
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly Principal?: unknown;
}

/** An app whose functions are not bundled: that is another test's. */
export function quickApp(): App {
  return new App({ context: { "aws:cdk:bundling-stacks": [] } });
}

/** The templates of the clusters, in their order. */
export function templatesOf(...clusters: readonly ClusterConfig[]): readonly Template[] {
  return templatesIn({ account: "111122223333", region: "eu-west-1" }, ...clusters);
}

export function templatesIn(here: Environment, ...clusters: readonly ClusterConfig[]): readonly Template[] {
  return addStacks(quickApp(), clusters, here).map((stack) => Template.fromStack(stack));
}

export function templateOf(cluster: ClusterConfig): Template {
  const [template] = templatesOf(cluster);
  if (template === undefined) throw new Error("no template");
  return template;
}

export function resourcesOf(template: Template, type: string): readonly Resource[] {
  return Object.values<unknown>(template.findResources(type)) as readonly Resource[];
}

/** What a function is told, with references in place of what CloudFormation fills in. */
export function variablesOf(template: Template, functionName: string): Readonly<Record<string, string>> {
  const found = resourcesOf(template, "AWS::Lambda::Function").find(
    ({ Properties }) => Properties.FunctionName === functionName,
  );
  const environment = found?.Properties.Environment as
    | { readonly Variables: Readonly<Record<string, unknown>> }
    | undefined;
  return Object.fromEntries(
    Object.entries(environment?.Variables ?? {}).map(([name, value]) => [
      name,
      typeof value === "string" ? value : "filled-in",
    ]),
  );
}

/** Statements of the policies of one function's role. */
export function statementsOf(template: Template, role: string): readonly Statement[] {
  return resourcesOf(template, "AWS::IAM::Policy")
    .filter(({ Properties }) => String(Properties.PolicyName).startsWith(role))
    .flatMap(({ Properties }) => (Properties.PolicyDocument as { readonly Statement: readonly Statement[] }).Statement);
}

/** The policy of one function's role as IAM gets it. */
export function policyOf(
  template: Template,
  role: string,
  here: { readonly account: string; readonly region: string },
): Policy {
  const { Resources: resources } = template.toJSON() as { readonly Resources: Readonly<Record<string, Resource>> };
  return filledIn(statementsOf(template, role), { ...here, resources });
}
