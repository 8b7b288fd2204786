import {
  DescribeCapacityReservationsCommand,
  DescribePlacementGroupsCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  type EC2Client,
  type Filter as Ec2Filter,
} from "@aws-sdk/client-ec2";
import type { CapacityReservation, Filter, FilterQuery, PlacementGroup, SecurityGroup, Subnet } from "#ec2/view.ts";
import { allPages } from "./pages.ts";

const pageSize = 500;

/** The filters of a query as EC2 takes them; undefined when one can match nothing, so that nothing is to be asked. */
export function ec2Filters(filters: readonly Filter[]): Ec2Filter[] | undefined {
  if (filters.some(({ values }) => values.length === 0)) return undefined;
  return filters.map(({ name, values }) => ({ Name: name, Values: [...values] }));
}

export async function readSubnets(ec2: EC2Client, query: FilterQuery): Promise<readonly Subnet[]> {
  const Filters = ec2Filters(query.filters);
  if (Filters === undefined) return [];
  const rows = await allPages(
    (NextToken) => ec2.send(new DescribeSubnetsCommand({ Filters, MaxResults: pageSize, NextToken })),
    (page) => page.Subnets,
    (page) => page.NextToken,
  );
  return rows
    .flatMap(
      ({ SubnetId: id, AvailabilityZone: zone, AvailabilityZoneId: zoneId = "", AvailableIpAddressCount = 0 }) =>
        id === undefined || zone === undefined ? [] : [{ id, zone, zoneId, freeAddresses: AvailableIpAddressCount }],
    )
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

export async function readSecurityGroups(ec2: EC2Client, query: FilterQuery): Promise<readonly SecurityGroup[]> {
  const Filters = ec2Filters(query.filters);
  if (Filters === undefined) return [];
  const rows = await allPages(
    (NextToken) => ec2.send(new DescribeSecurityGroupsCommand({ Filters, MaxResults: pageSize, NextToken })),
    (page) => page.SecurityGroups,
    (page) => page.NextToken,
  );
  return rows
    .flatMap(({ GroupId: id, GroupName: name = "" }) => (id === undefined ? [] : [{ id, name }]))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** EC2 takes ids alone or filters with a page size. A query's `reservation-id` filter names ids. */
export async function readCapacityReservations(
  ec2: EC2Client,
  query: FilterQuery,
): Promise<readonly CapacityReservation[]> {
  const ids = query.filters.find(({ name }) => name === "reservation-id")?.values;
  const Filters = ec2Filters(query.filters.filter(({ name }) => name !== "reservation-id"));
  if (Filters === undefined) return [];
  const what = ids === undefined ? { MaxResults: 1_000 } : { CapacityReservationIds: [...ids] };
  const rows = await allPages(
    (NextToken) => ec2.send(new DescribeCapacityReservationsCommand({ ...what, Filters, NextToken })),
    (page) => page.CapacityReservations,
    (page) => page.NextToken,
  );
  return rows
    .flatMap((row): CapacityReservation[] => {
      const {
        CapacityReservationId: id,
        InstanceType: instanceType,
        AvailabilityZone: zone,
        OwnerId: ownerId = "",
      } = row;
      if (id === undefined || instanceType === undefined || zone === undefined) return [];
      return [
        {
          ...{ id, instanceType, zone, ownerId, availableCount: row.AvailableInstanceCount ?? 0 },
          matchCriteria: row.InstanceMatchCriteria ?? "",
          reservationType: row.ReservationType ?? "default",
          interruptible: row.Interruptible ?? false,
          ...(row.EndDate === undefined ? {} : { endAt: row.EndDate.toISOString() }),
        },
      ];
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

export async function readPlacementGroups(ec2: EC2Client, query: FilterQuery): Promise<readonly PlacementGroup[]> {
  const values = (name: string): string[] =>
    query.filters.filter((filter) => filter.name === name).flatMap((filter) => filter.values);
  const [names, ids] = [values("group-name"), values("group-id")];
  const { PlacementGroups = [] } = await ec2.send(
    new DescribePlacementGroupsCommand({
      Filters: [{ Name: "state", Values: ["available"] }],
      ...(names.length === 0 ? {} : { GroupNames: names }),
      ...(ids.length === 0 ? {} : { GroupIds: ids }),
    }),
  );
  return PlacementGroups.flatMap(({ GroupId: id, GroupName: name = "", Strategy, PartitionCount }): PlacementGroup[] =>
    id === undefined || Strategy === undefined
      ? []
      : [{ id, name, strategy: Strategy, ...(PartitionCount === undefined ? {} : { partitions: PartitionCount }) }],
  ).sort((a, b) => (a.id < b.id ? -1 : 1));
}
