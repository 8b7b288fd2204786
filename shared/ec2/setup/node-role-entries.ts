/**
 * Karpenter counterpart: none; its guide maps the node role by hand, in aws-auth or by an access entry. Here an entry is
 * made where there is none; one that is there is its owner's.
 */

/** EKS: the type of an entry under which nodes join; it brings the groups that they need. */
export type NodeEntryType = "EC2_LINUX" | "EC2_WINDOWS";

export interface NodeRoleEntry {
  readonly principalArn: string;
  readonly type: NodeEntryType;
}

/** What an entry that is already there keeps from working; undefined when nothing does. */
export function entryProblem(wanted: NodeRoleEntry, found: string): string | undefined {
  // An entry of type STANDARD may name the groups itself, as those made from aws-auth do.
  if (found === wanted.type || found === "STANDARD") return undefined;
  const { principalArn, type } = wanted;
  return `the access entry of ${principalArn} is of type ${found}, not ${type}: its nodes cannot join`;
}
