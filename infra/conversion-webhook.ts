import { CfnOutput, RemovalPolicy } from "aws-cdk-lib";
import { FunctionUrlAuthType } from "aws-cdk-lib/aws-lambda";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import { partName } from "#aws/part-name.ts";
import { DeployedFunction } from "./deployed-function.ts";

export interface ConversionWebhookProps {
  readonly clusterName: string;
  readonly logRetentionDays: number;
}

/** More than anybody tries. */
const secretLength = 48;
/** A review of 5 MB takes a second; the API server waits for 30. */
const timeoutSeconds = 20;
const memoryMB = 512;

/**
 * The conversion of v1beta1 for an API server, which has no credentials to sign with: a function URL without
 * authentication, whose path is a secret. The function may do nothing, and its answer tells nothing but its question.
 */
export class ConversionWebhook extends Construct {
  constructor(scope: Construct, id: string, { clusterName, logRetentionDays }: ConversionWebhookProps) {
    super(scope, id);
    const secret = new Secret(this, "Path", {
      secretName: partName(clusterName, "conversion"),
      description: `Path of the conversion function of the EKS cluster ${clusterName}`,
      generateSecretString: { passwordLength: secretLength, excludePunctuation: true },
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const deployed = new DeployedFunction(this, "Converter", {
      clusterName,
      logRetentionDays,
      name: "conversion",
      description: "Converts Karpenter's objects between v1beta1 and v1 for the API server",
      memoryMB,
      timeoutSeconds,
      // CloudFormation fills it in: neither the template nor the synthesis knows it.
      variables: { CONVERSION_SECRET: secret.secretValue.unsafeUnwrap() },
      grants: [],
    });
    const { url } = deployed.function.addFunctionUrl({ authType: FunctionUrlAuthType.NONE });
    new CfnOutput(this, "Url", { value: url, description: "For outrigger migrate --conversion-url, with the path" });
    new CfnOutput(this, "PathSecret", { value: secret.secretName, description: "Holds the path of the URL" });
  }
}
