import { digestOf } from "#aws/part-name.ts";

/** EKS: what a cluster may be called. */
const clusterName = /^[0-9A-Za-z][A-Za-z0-9_-]{0,99}$/;

export function isClusterName(name: string): boolean {
  return clusterName.test(name);
}

/** CloudFormation takes no underscore in the name of a stack. */
export function stackName(cluster: string): string {
  return /_/.test(cluster) ? `Outrigger-${cluster.replaceAll("_", "-")}-${digestOf(cluster)}` : `Outrigger-${cluster}`;
}
