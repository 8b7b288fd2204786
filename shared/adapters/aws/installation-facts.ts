import { DescribeClusterCommand, type EKSClient } from "@aws-sdk/client-eks";
import type { InstallationFacts } from "#ec2/setup/preflight.ts";
import { faultOf } from "./fault-table.ts";

export interface ClusterInstallation extends InstallationFacts {
  /** EKS Auto Mode owns Karpenter's core CRDs here. */
  readonly autoMode: boolean;
}

/** Undefined: there is no such cluster. Rejects as the SDK does for everything else. */
export async function readInstallation(eks: EKSClient, name: string): Promise<ClusterInstallation | undefined> {
  try {
    const { cluster } = await eks.send(new DescribeClusterCommand({ name }));
    const authenticationMode = cluster?.accessConfig?.authenticationMode;
    return {
      clusterName: name,
      status: cluster?.status ?? "unknown",
      autoMode: cluster?.computeConfig?.enabled === true,
      ...(authenticationMode === undefined ? {} : { authenticationMode }),
    };
  } catch (error) {
    if (faultOf(error).kind === "not-found") return undefined;
    throw error;
  }
}
