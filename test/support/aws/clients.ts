import { EC2Client } from "@aws-sdk/client-ec2";
import { EKSClient } from "@aws-sdk/client-eks";
import { IAMClient } from "@aws-sdk/client-iam";
import { SSMClient } from "@aws-sdk/client-ssm";
import type { StandIn } from "./stand-in.ts";

/** Clients of the tests' own, to set the account up and to look at it; they never repeat a call. */
export function clientsOf({ endpoint, region }: StandIn) {
  const settings = { endpoint, region, credentials: { accessKeyId: "test", secretAccessKey: "test" }, maxAttempts: 1 };
  return {
    ec2: new EC2Client(settings),
    eks: new EKSClient(settings),
    iam: new IAMClient(settings),
    ssm: new SSMClient(settings),
  };
}

export type Clients = ReturnType<typeof clientsOf>;
