import { CreateSecurityGroupCommand, CreateSubnetCommand, CreateVpcCommand } from "@aws-sdk/client-ec2";
import { CreateRoleCommand } from "@aws-sdk/client-iam";
import type { Clients } from "./clients.ts";

export interface StandInAccount {
  readonly vpcId: string;
  /** By zone, in the order asked for. */
  readonly subnetIds: readonly string[];
  readonly securityGroupId: string;
}

/** A VPC with a tagged subnet of 4,091 addresses a zone, a tagged security group, and a node role. */
export async function prepareAccount(
  { ec2, iam }: Clients,
  discovery: string,
  role: string,
  zones: readonly string[] = ["us-east-1a", "us-east-1b"],
): Promise<StandInAccount> {
  const { Vpc } = await ec2.send(new CreateVpcCommand({ CidrBlock: "10.0.0.0/16" }));
  const vpcId = Vpc?.VpcId ?? "";
  const Tags = [{ Key: "karpenter.sh/discovery", Value: discovery }];
  const subnetIds: string[] = [];
  for (const [index, zone] of zones.entries()) {
    const { Subnet } = await ec2.send(
      new CreateSubnetCommand({
        VpcId: vpcId,
        AvailabilityZone: zone,
        CidrBlock: `10.0.${index * 16}.0/20`,
        TagSpecifications: [{ ResourceType: "subnet", Tags }],
      }),
    );
    subnetIds.push(Subnet?.SubnetId ?? "");
  }
  const { GroupId = "" } = await ec2.send(
    new CreateSecurityGroupCommand({
      GroupName: `${discovery}-node`,
      Description: "nodes",
      VpcId: vpcId,
      TagSpecifications: [{ ResourceType: "security-group", Tags }],
    }),
  );
  await iam.send(new CreateRoleCommand({ RoleName: role, AssumeRolePolicyDocument: "{}" }));
  return { vpcId, subnetIds, securityGroupId: GroupId };
}
