import { EC2Client } from "@aws-sdk/client-ec2";
import { EKSClient } from "@aws-sdk/client-eks";
import { IAMClient } from "@aws-sdk/client-iam";
import { PricingClient } from "@aws-sdk/client-pricing";
import { S3Client } from "@aws-sdk/client-s3";
import { SSMClient } from "@aws-sdk/client-ssm";

/**
 * Where AWS is. Without an endpoint: AWS itself. Without credentials: the SDK's own chain (environment, SSO, shared files,
 * web identity, container, instance), which is that of the AWS command line and of a function's role.
 */
export interface AwsAccess {
  readonly region: string;
  readonly endpoint?: string;
  readonly credentials?: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

/** A repetition of a read is the same read. */
export const readAttemptsMax = 3;
const connectMsMax = 2_000;
const readMsMax = 25_000;
/**
 * An instant fleet answers when its instances exist, some seconds after the call. What takes longer is not waited for,
 * since the Lease does not last: the next tick repeats it by its token, or adopts what came of it.
 */
const answerMsMax = 8_000;
/** The longest that a write takes. */
export const cloudWriteMsMax = connectMsMax + answerMsMax;

/** `reading` repeats calls that were throttled or broke off; `writing` never does: what comes next is a decision. */
export interface AwsClients {
  readonly reading: {
    readonly ec2: EC2Client;
    readonly ssm: SSMClient;
    readonly iam: IAMClient;
    readonly eks: EKSClient;
    readonly s3: S3Client;
    readonly pricing: PricingClient;
  };
  readonly writing: { readonly ec2: EC2Client; readonly iam: IAMClient };
}

export function awsClients(access: AwsAccess): AwsClients {
  const base = {
    region: access.region,
    ...(access.endpoint === undefined ? {} : { endpoint: access.endpoint }),
    ...(access.credentials === undefined ? {} : { credentials: access.credentials }),
  };
  const within = (requestTimeout: number) => ({
    requestHandler: { connectionTimeout: connectMsMax, requestTimeout, throwOnRequestTimeout: true },
  });
  const read = { ...base, ...within(readMsMax), maxAttempts: readAttemptsMax };
  const write = { ...base, ...within(answerMsMax), maxAttempts: 1 };
  return {
    reading: {
      ec2: new EC2Client(read),
      ssm: new SSMClient(read),
      iam: new IAMClient(read),
      eks: new EKSClient(read),
      // A path names the bucket where the endpoint is a number.
      s3: new S3Client({ ...read, forcePathStyle: access.endpoint !== undefined }),
      pricing: new PricingClient({ ...read, region: pricingRegion(access.region) }),
    },
    writing: { ec2: new EC2Client(write), iam: new IAMClient(write) },
  };
}

/** The Pricing API has few endpoints. Karpenter: pkg/providers/pricing, by the region's prefix. */
export function pricingRegion(region: string): string {
  if (region.startsWith("ap-")) return "ap-south-1";
  if (region.startsWith("cn-")) return "cn-northwest-1";
  return region.startsWith("eu-") ? "eu-central-1" : "us-east-1";
}
