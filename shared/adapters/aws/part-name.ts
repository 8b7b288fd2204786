import { createHash } from "node:crypto";

/**
 * `outrigger-CLUSTER-PART`, so that two clusters of one account never share a name: what the deployment gives its parts and
 * what the command line looks for. What does not fit into `lengthMax` is cut, with a digest of the whole in its place.
 */
export function partName(cluster: string, part: string, lengthMax = 64): string {
  const whole = `outrigger-${cluster}-${part}`;
  if (whole.length <= lengthMax) return whole;
  const [start, end] = ["outrigger-", `-${digestOf(cluster)}-${part}`];
  return `${start}${cluster.slice(0, lengthMax - start.length - end.length)}${end}`;
}

/** Eight hexadecimal digits. */
export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
