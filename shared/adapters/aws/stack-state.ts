import { type CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";

/**
 * Whether the stack as a whole is being deleted. A resource is also asked to go in a rollback, in an update that renames
 * it, and in one that leaves it out. Rejects as the SDK does.
 */
export async function isStackBeingDeleted(client: CloudFormationClient, stackId: string): Promise<boolean> {
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stackId }));
  return Stacks[0]?.StackStatus === "DELETE_IN_PROGRESS";
}
