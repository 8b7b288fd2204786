import { DescribeLaunchTemplatesCommand, type EC2Client } from "@aws-sdk/client-ec2";
import {
  DescribeAccessEntryCommand,
  DescribeClusterCommand,
  type EKSClient,
  ListAccessEntriesCommand,
} from "@aws-sdk/client-eks";
import { ec2NodeClassLabel } from "#api/ec2-v1/ec2nodeclass.ts";
import { clusterIdentityTag } from "#api/outrigger-names.ts";
import type { ClusterFacts, NodeRole, OwnTemplate } from "#ec2/view.ts";
import { allPages } from "./pages.ts";

/** Launch templates that carry the cluster's tag, by name. */
export async function readOwnTemplates(ec2: EC2Client, clusterName: string): Promise<readonly OwnTemplate[]> {
  const Filters = [{ Name: "tag:eks:eks-cluster-name", Values: [clusterName] }];
  const rows = await allPages(
    (NextToken) => ec2.send(new DescribeLaunchTemplatesCommand({ Filters, MaxResults: 200, NextToken })),
    (page) => page.LaunchTemplates,
    (page) => page.NextToken,
  );
  return rows
    .flatMap(({ LaunchTemplateName: name, CreateTime, Tags = [] }): OwnTemplate[] => {
      if (name === undefined) return [];
      const tag = (key: string): string | undefined => Tags.find(({ Key }) => Key === key)?.Value;
      const [nodeClass, clusterIdentity] = [tag(ec2NodeClassLabel), tag(clusterIdentityTag)];
      return [
        {
          name,
          createdAtMs: CreateTime?.getTime() ?? 0,
          ...(nodeClass === undefined ? {} : { nodeClass }),
          ...(clusterIdentity === undefined ? {} : { clusterIdentity }),
        },
      ];
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Undefined while EKS has not made the cluster's endpoint yet. */
export async function readClusterFacts(eks: EKSClient, name: string): Promise<ClusterFacts | undefined> {
  const { cluster } = await eks.send(new DescribeClusterCommand({ name }));
  const { endpoint, certificateAuthority, kubernetesNetworkConfig } = cluster ?? {};
  const { ipFamily, serviceIpv4Cidr, serviceIpv6Cidr } = kubernetesNetworkConfig ?? {};
  const serviceCidr = ipFamily === "ipv6" ? serviceIpv6Cidr : (serviceIpv4Cidr ?? serviceIpv6Cidr);
  if (endpoint === undefined || certificateAuthority?.data === undefined || serviceCidr === undefined) return undefined;
  const authenticationMode = cluster?.accessConfig?.authenticationMode;
  return {
    ...{ endpoint, certificateAuthority: certificateAuthority.data, serviceCidr },
    ...(authenticationMode === undefined ? {} : { authenticationMode }),
  };
}

/** The access entries of these roles. An entry names its role by ARN, path and all; a class may know it by name alone. */
export async function readNodeRoles(
  eks: EKSClient,
  clusterName: string,
  roles: readonly string[],
): Promise<Readonly<Record<string, NodeRole>>> {
  const principals = await allPages(
    (nextToken) => eks.send(new ListAccessEntriesCommand({ clusterName, maxResults: 100, nextToken })),
    (page) => page.accessEntries,
    (page) => page.nextToken,
  );
  const rows = roles.map(async (role): Promise<readonly [string, NodeRole]> => {
    const principalArn = principals.find((arn) => arn.includes(":role/") && arn.split("/").at(-1) === role);
    if (principalArn === undefined) return [role, {}];
    const { accessEntry } = await eks.send(new DescribeAccessEntryCommand({ clusterName, principalArn }));
    return [role, accessEntry?.type === undefined ? {} : { entryType: accessEntry.type }];
  });
  return Object.fromEntries(await Promise.all(rows));
}
