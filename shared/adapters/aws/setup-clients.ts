import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { EKSClient } from "@aws-sdk/client-eks";
import { SQSClient } from "@aws-sdk/client-sqs";
import { type AwsAccess, readAttemptsMax } from "./clients.ts";

const connectMsMax = 2_000;
const answerMsMax = 15_000;

/** What an installation asks and tells; every call is a read, or one whose repetition changes nothing. */
export interface SetupClients {
  readonly eks: EKSClient;
  readonly sqs: SQSClient;
  readonly cloudFormation: CloudFormationClient;
}

export function setupClients({ region, endpoint, credentials }: AwsAccess): SetupClients {
  const settings = {
    region,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials === undefined ? {} : { credentials }),
    maxAttempts: readAttemptsMax,
    requestHandler: { connectionTimeout: connectMsMax, requestTimeout: answerMsMax, throwOnRequestTimeout: true },
  };
  return {
    eks: new EKSClient(settings),
    // Otherwise the client calls the queue's own host, wherever that is.
    sqs: new SQSClient({ ...settings, ...(endpoint === undefined ? {} : { useQueueUrlAsEndpoint: false }) }),
    cloudFormation: new CloudFormationClient(settings),
  };
}
