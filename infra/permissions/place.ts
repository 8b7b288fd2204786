import type { Stack } from "aws-cdk-lib";

/** Where the rights hold: a cluster in an account's region. Parts may be values that CloudFormation fills in. */
export interface Place {
  readonly partition: string;
  readonly region: string;
  readonly account: string;
  readonly clusterName: string;
}

export function placeOf({ partition, region, account }: Stack, clusterName: string): Place {
  return { partition, region, account, clusterName };
}
