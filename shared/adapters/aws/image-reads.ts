import { DescribeImagesCommand, type EC2Client } from "@aws-sdk/client-ec2";
import { GetParametersCommand, type SSMClient } from "@aws-sdk/client-ssm";
import { withParameters } from "#ec2/node-class/image-query.ts";
import type { FilterQuery, Image } from "#ec2/view.ts";
import { ec2Filters } from "./network-reads.ts";
import { allPages } from "./pages.ts";

const pageSize = 1_000;
/** SSM: names of one GetParameters. */
const namesMax = 10;

/** SSM: what a parameter's name is made of. */
export function isParameterName(name: string): boolean {
  return /^[\w./:-]{1,2048}$/.test(name);
}

/** Those of `names` that exist, with their values. */
export async function readParameters(
  ssm: SSMClient,
  names: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const values: Record<string, string> = {};
  for (let start = 0; start < names.length; start += namesMax) {
    const { Parameters = [] } = await ssm.send(
      new GetParametersCommand({ Names: names.slice(start, start + namesMax) }),
    );
    for (const { Name, Value } of Parameters) if (Name !== undefined && Value !== undefined) values[Name] = Value;
  }
  return values;
}

/** Images of a query whose references are resolved by `parameters`; newest first. Other architectures than ours are left out. */
export async function readImages(
  ec2: EC2Client,
  query: FilterQuery,
  parameters: Readonly<Record<string, string>>,
): Promise<readonly Image[]> {
  const { filters, owners } = withParameters(query, parameters);
  const Filters = ec2Filters(filters);
  if (Filters === undefined) return [];
  const who = owners === undefined ? {} : { Owners: [...owners] };
  const rows = await allPages(
    (NextToken) =>
      ec2.send(
        new DescribeImagesCommand({ Filters, ...who, IncludeDeprecated: true, MaxResults: pageSize, NextToken }),
      ),
    (page) => page.Images,
    (page) => page.NextToken,
  );
  return rows
    .flatMap(
      ({ ImageId: id, Name: name = "", Architecture, CreationDate: createdAt = "", DeprecationTime }): Image[] => {
        const arch = Architecture === "x86_64" ? "amd64" : Architecture === "arm64" ? "arm64" : undefined;
        if (id === undefined || arch === undefined) return [];
        return [
          {
            ...{ id, name, arch, createdAt },
            ...(DeprecationTime === undefined ? {} : { deprecatedAt: DeprecationTime }),
          },
        ];
      },
    )
    .sort((a, b) => (a.createdAt === b.createdAt ? (a.id < b.id ? -1 : 1) : a.createdAt > b.createdAt ? -1 : 1));
}
