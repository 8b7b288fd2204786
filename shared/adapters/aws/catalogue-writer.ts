import { DescribeInstanceTypeOfferingsCommand, DescribeInstanceTypesCommand } from "@aws-sdk/client-ec2";
import type { Catalogue, CatalogueType } from "#ec2/instance-type/catalogue.ts";
import type { Clock } from "#ports/clock.ts";
import type { AwsClients } from "./clients.ts";
import { faultOf } from "./fault-table.ts";
import { allPages } from "./pages.ts";
import { readOnDemandPrices, readSpotPrices } from "./prices.ts";
import { type TypeFacts, typeFacts } from "./type-row.ts";

const source =
  "EC2 DescribeInstanceTypes, DescribeInstanceTypeOfferings and DescribeSpotPriceHistory; AWS Price List (Linux).";

export interface CatalogueReport {
  readonly catalogue: Catalogue;
  /** What could not be read and was taken from the catalogue before, in words. */
  readonly problems: readonly string[];
}

/**
 * Types, zones and prices of the region as they are now. Prices that cannot be read are those of `before`; without types
 * or zones there is no catalogue, and the error is thrown.
 */
export async function makeCatalogue(
  { ec2, pricing }: AwsClients["reading"],
  region: string,
  clock: Clock,
  before: Catalogue | undefined,
): Promise<CatalogueReport> {
  const [types, zones] = await Promise.all([readTypes(ec2), readZones(ec2)]);
  const nowMs = clock.nowMs();
  const problems: string[] = [];
  const asked = async <Answer>(what: string, ask: () => Promise<Answer>): Promise<Answer | undefined> => {
    try {
      return await ask();
    } catch (error) {
      const { code, message } = faultOf(error);
      problems.push(`${what}: ${code}: ${message}; those of before are kept`);
      return undefined;
    }
  };
  const [onDemand, spot] = await Promise.all([
    asked("on-demand prices", () => readOnDemandPrices(pricing, region)),
    asked("spot prices", () => readSpotPrices(ec2, nowMs)),
  ]);
  const older = new Map((before?.types ?? []).map((type) => [type.name, type]));
  const rows = types.flatMap((facts): CatalogueType[] => {
    const own = zones.get(facts.name);
    if (own === undefined) return [];
    // A price that the list no longer names is as good as the last one known.
    const onDemandPerHour = onDemand?.get(facts.name) ?? older.get(facts.name)?.onDemandPerHour;
    const spotPerHour = spot === undefined ? (older.get(facts.name)?.spotPerHour ?? {}) : (spot.get(facts.name) ?? {});
    return [{ ...facts, zones: own, ...(onDemandPerHour === undefined ? {} : { onDemandPerHour }), spotPerHour }];
  });
  return { catalogue: { ...headOf(region, nowMs), types: rows }, problems };
}

/** The catalogue with newer spot prices and all else as it was: what the hourly run writes. */
export async function withSpotPrices(
  { ec2 }: AwsClients["reading"],
  clock: Clock,
  before: Catalogue,
): Promise<Catalogue> {
  const nowMs = clock.nowMs();
  const spot = await readSpotPrices(ec2, nowMs);
  const types = before.types.map((type) => ({ ...type, spotPerHour: spot.get(type.name) ?? {} }));
  return { ...before, writtenAtMs: nowMs, types };
}

function headOf(region: string, nowMs: number): Omit<Catalogue, "types"> {
  return { version: 1, region, date: new Date(nowMs).toISOString().slice(0, 10), source, writtenAtMs: nowMs };
}

/** Types that a node can be, by name; those of other architectures are left out by `typeFacts`. */
async function readTypes(ec2: AwsClients["reading"]["ec2"]): Promise<readonly TypeFacts[]> {
  const Filters = [{ Name: "supported-virtualization-type", Values: ["hvm"] }];
  const rows = await allPages(
    (NextToken) => ec2.send(new DescribeInstanceTypesCommand({ Filters, MaxResults: 100, NextToken })),
    (page) => page.InstanceTypes,
    (page) => page.NextToken,
  );
  return rows.flatMap((info) => typeFacts(info) ?? []).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Local zones too, where the account has opted in. */
async function readZones(ec2: AwsClients["reading"]["ec2"]): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await allPages(
    (NextToken) =>
      ec2.send(
        new DescribeInstanceTypeOfferingsCommand({ LocationType: "availability-zone", MaxResults: 1_000, NextToken }),
      ),
    (page) => page.InstanceTypeOfferings,
    (page) => page.NextToken,
  );
  const zones = new Map<string, string[]>();
  for (const { InstanceType: type, Location: zone } of rows) {
    if (type === undefined || zone === undefined) continue;
    const own = zones.get(type);
    if (own === undefined) zones.set(type, [zone]);
    else own.push(zone);
  }
  for (const own of zones.values()) own.sort();
  return zones;
}
