import { Validations } from "aws-cdk-lib";
import type { IConstruct } from "constructs";
import { policyFindings } from "./policy-findings.ts";

/** Answers to the rules of AWS Solutions (cdk-nag), each with its reason; a test finds what has none. */
const answers: readonly { readonly path: RegExp; readonly id: string; readonly reason: string }[] = [
  {
    path: /\/Storage\/(Catalogue|Recordings)\/Resource$/,
    id: "AwsSolutions-S1",
    reason:
      "Prices that anybody may read, and recordings that one role writes and people read; the log would be bigger",
  },
  {
    path: /\/NodeRole\/Resource$/,
    id: "AwsSolutions-IAM4",
    reason: "EKS says that nodes have these policies of AWS, and keeps them up to date; Karpenter's node role has them",
  },
  {
    path: /\/Setup\/Provider\/framework-\w+\/ServiceRole\/Resource$/,
    id: "AwsSolutions-IAM4",
    reason: "CDK's own functions; the policy lets them write their log",
  },
  {
    path: /\/(Schedules|Setup\/Provider)\/.*DefaultPolicy\/Resource$/,
    id: "AwsSolutions-IAM5",
    reason: "CDK lets them invoke every version of the one function that they call",
  },
  {
    path: /\/waiter-state-machine\/Resource$/,
    id: "AwsSolutions-SF1",
    reason: "It does nothing but ask the function again; the function writes a log of what it was asked",
  },
  {
    path: /\/waiter-state-machine\/Resource$/,
    id: "AwsSolutions-SF2",
    reason: "It runs for minutes, when the stack is deployed or deleted; there is nothing to trace",
  },
  {
    path: /\/Conversion\/Path\/Resource$/,
    id: "AwsSolutions-SMG4",
    reason:
      "The API server knows the path from the CRDs: another one would break the conversion until they are written",
  },
];

/** Acknowledges what is known of the constructs below `scope`. */
export function acknowledgeFindings(scope: IConstruct): void {
  for (const construct of scope.node.findAll()) {
    const path = `/${construct.node.path}`;
    for (const { id, reason } of answers.filter((answer) => answer.path.test(path))) {
      // Those of policies are told one by one.
      const ids = id.startsWith("AwsSolutions-IAM") ? policyFindings(construct) : [id];
      for (const each of ids) Validations.of(construct).acknowledge({ id: each, reason });
    }
  }
}
