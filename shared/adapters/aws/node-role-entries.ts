import { CreateAccessEntryCommand, DescribeAccessEntryCommand, type EKSClient } from "@aws-sdk/client-eks";
import { entryProblem, type NodeRoleEntry } from "#ec2/setup/node-role-entries.ts";
import { faultOf } from "./fault-table.ts";

/** A role that was just made is known to EKS some seconds later. */
const triesMax = 6;
const pauseMs = 10_000;

/**
 * Lets nodes of the role join: makes its entry, or leaves the one that is there. Answers what is wrong with that one;
 * undefined when all is well. Rejects as the SDK does when EKS refuses.
 */
export async function ensureNodeRoleEntry(
  eks: EKSClient,
  clusterName: string,
  entry: NodeRoleEntry,
): Promise<string | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      await eks.send(new CreateAccessEntryCommand({ clusterName, ...entry }));
      return undefined;
    } catch (error) {
      const { kind, code } = faultOf(error);
      if (kind === "already-exists") return problemOfPresent(eks, clusterName, entry);
      if (code !== "InvalidParameterException" || tries === triesMax) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

async function problemOfPresent(
  eks: EKSClient,
  clusterName: string,
  entry: NodeRoleEntry,
): Promise<string | undefined> {
  const { principalArn } = entry;
  const { accessEntry } = await eks.send(new DescribeAccessEntryCommand({ clusterName, principalArn }));
  return entryProblem(entry, accessEntry?.type ?? entry.type);
}
