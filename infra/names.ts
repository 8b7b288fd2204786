import { createHash } from "node:crypto";

/** EKS: what a cluster may be called. */
const clusterName = /^[0-9A-Za-z][A-Za-z0-9_-]{0,99}$/;

export function isClusterName(name: string): boolean {
  return clusterName.test(name);
}

/**
 * `outrigger-CLUSTER-PART`, so that two clusters of one account never share a name. What does not fit into `lengthMax`
 * is cut, with a digest of the whole in its place.
 */
export function partName(cluster: string, part: string, lengthMax = 64): string {
  const whole = `outrigger-${cluster}-${part}`;
  if (whole.length <= lengthMax) return whole;
  const [start, end] = ["outrigger-", `-${digestOf(cluster)}-${part}`];
  return `${start}${cluster.slice(0, lengthMax - start.length - end.length)}${end}`;
}

/** CloudFormation takes no underscore in the name of a stack. */
export function stackName(cluster: string): string {
  return /_/.test(cluster) ? `Outrigger-${cluster.replaceAll("_", "-")}-${digestOf(cluster)}` : `Outrigger-${cluster}`;
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
