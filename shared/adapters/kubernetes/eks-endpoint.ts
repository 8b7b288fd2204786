import { DescribeClusterCommand, type EKSClient } from "@aws-sdk/client-eks";
import type { ApiEndpoint } from "./endpoint.ts";

/** What EKS says of a cluster: where it answers, and what makes it this cluster and no other of the same name. */
export interface EksCluster {
  readonly endpoint: ApiEndpoint;
  /** `ARN@creation time`: a cluster made anew under an old name has another one. */
  readonly identity: string;
  /** Minor version, as `1.32`. */
  readonly kubernetesVersion: string;
  /** How the control plane's calls to webhooks leave it: AWS_MANAGED, CUSTOMER_ROUTED or CUSTOMER_ISOLATED. */
  readonly egressMode?: string;
}

export type EksClusterAnswer =
  | { readonly kind: "known"; readonly cluster: EksCluster }
  /** It is being made, or was never there: in words. */
  | { readonly kind: "unknown"; readonly message: string };

/** Rejects as the SDK does when EKS refuses or cannot be reached. */
export async function describeEksCluster(client: EKSClient, name: string): Promise<EksClusterAnswer> {
  const { cluster } = await client.send(new DescribeClusterCommand({ name }));
  const { arn, createdAt, endpoint, version, certificateAuthority, resourcesVpcConfig } = cluster ?? {};
  const egressMode = resourcesVpcConfig?.controlPlaneEgressMode;
  const authority = certificateAuthority?.data;
  if (arn === undefined || endpoint === undefined || authority === undefined || version === undefined) {
    return { kind: "unknown", message: `EKS cluster ${name} has no endpoint yet (${cluster?.status ?? "no status"})` };
  }
  const caPem = Buffer.from(authority, "base64").toString("utf8");
  const created = createdAt === undefined ? "" : createdAt.toISOString();
  return {
    kind: "known",
    cluster: {
      ...{ endpoint: { url: endpoint, caPem }, identity: `${arn}@${created}`, kubernetesVersion: version },
      ...(egressMode === undefined ? {} : { egressMode }),
    },
  };
}
