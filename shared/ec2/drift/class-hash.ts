/**
 * Karpenter counterpart: pkg/apis/v1/ec2nodeclass.go, Hash. It differs: the hash is our own, under a version of our own,
 * so that neither a handover nor a handing back drifts anything; the cluster's certificate authority is not in it.
 */
import type { EC2NodeClassSpec } from "#api/ec2-v1/ec2nodeclass.ts";
import { digestOf } from "#core/recording/left-out-text.ts";
import { stableHash } from "#core/stable-hash.ts";
import { amiFamilyOf } from "../node-class/ami-alias.ts";

/** Says what goes into the hash: hashes of different versions are never compared. */
export const classHashVersion = "outrigger-1";

/** What drifts by comparison, or what a node does not show. */
const notHashed: readonly (keyof EC2NodeClassSpec)[] = [
  "subnetSelectorTerms",
  "securityGroupSelectorTerms",
  "capacityReservationSelectorTerms",
  "amiSelectorTerms",
  "amiFamily",
  "ipPrefixCount",
];

/** Of all in the class that a running node cannot change; order of lists and absent or zero values do not count. */
export function classHash(spec: EC2NodeClassSpec): string {
  const fields = Object.entries(spec).filter(([name]) => !notHashed.some((each) => each === name));
  const { userData = "" } = spec;
  // By its digest, which a recording keeps.
  const told = userData === "" ? {} : { userData: digestOf(userData) };
  return stableHash(canonical({ ...Object.fromEntries(fields), ...told, amiFamily: amiFamilyOf(spec) }) ?? "", 12);
}

/** Undefined for what counts as absent. */
function canonical(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    const items = value.flatMap((item) => canonical(item) ?? []).sort();
    return items.length === 0 ? undefined : `[${items.join(",")}]`;
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).flatMap(([key, entry]) => {
      const text = canonical(entry);
      return text === undefined ? [] : [`${JSON.stringify(key)}:${text}`];
    });
    return entries.length === 0 ? undefined : `{${entries.sort().join(",")}}`;
  }
  const isZero = value === undefined || value === null || value === "" || value === 0 || value === false;
  return isZero ? undefined : JSON.stringify(value);
}
