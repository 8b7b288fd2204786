import { DescribeSpotPriceHistoryCommand, type EC2Client } from "@aws-sdk/client-ec2";
import { GetProductsCommand, type PricingClient } from "@aws-sdk/client-pricing";
import { allPages } from "./pages.ts";

const linux = ["Linux/UNIX", "Linux/UNIX (Amazon VPC)"] as const;
/** Shared machines, and bare metal, which the price list sells as dedicated. Karpenter: pkg/providers/pricing. */
const families = [
  { tenancy: "Shared", productFamily: "Compute Instance" },
  { tenancy: "Dedicated", productFamily: "Compute Instance (bare metal)" },
] as const;

/** Linux on-demand prices an hour by type. Throws what Pricing throws, and when it names no price at all. */
export async function readOnDemandPrices(pricing: PricingClient, region: string): Promise<ReadonlyMap<string, number>> {
  const prices = new Map<string, number>();
  const currency = region.startsWith("cn-") ? "CNY" : "USD";
  for (const family of families) {
    const wanted = {
      regionCode: region,
      serviceCode: "AmazonEC2",
      preInstalledSw: "NA",
      operatingSystem: "Linux",
      capacitystatus: "Used",
      marketoption: "OnDemand",
      ...family,
    };
    const Filters = Object.entries(wanted).map(([Field, Value]) => ({ Field, Value, Type: "TERM_MATCH" as const }));
    const documents = await allPages(
      (NextToken) =>
        pricing.send(new GetProductsCommand({ ServiceCode: "AmazonEC2", Filters, MaxResults: 100, NextToken })),
      (page) => page.PriceList,
      (page) => page.NextToken,
    );
    for (const document of documents) {
      const price = priceOf(document, currency);
      if (price !== undefined) prices.set(price.instanceType, price.perHour);
    }
  }
  if (prices.size === 0) throw new Error(`the price list has no on-demand price for ${region}`);
  return prices;
}

/** The price of a document of the price list, JSON in a text; undefined for one that has none in this currency. */
export function priceOf(
  document: unknown,
  currency: string,
): { readonly instanceType: string; readonly perHour: number } | undefined {
  // The client wraps JSON in a String object of its own.
  const isText = typeof document === "string" || document instanceof String;
  const root = fieldsOf(isText ? parsed(String(document)) : document);
  const instanceType = fieldsOf(fieldsOf(root.product).attributes).instanceType;
  if (typeof instanceType !== "string") return undefined;
  for (const term of Object.values(fieldsOf(fieldsOf(root.terms).OnDemand))) {
    for (const dimension of Object.values(fieldsOf(fieldsOf(term).priceDimensions))) {
      const perHour = Number(fieldsOf(fieldsOf(dimension).pricePerUnit)[currency]);
      if (Number.isFinite(perHour) && perHour > 0) return { instanceType, perHour };
    }
  }
  return undefined;
}

/** The newest Linux spot prices, type → zone → an hour. */
export async function readSpotPrices(
  ec2: EC2Client,
  nowMs: number,
): Promise<ReadonlyMap<string, Readonly<Record<string, number>>>> {
  const rows = await allPages(
    (NextToken) =>
      ec2.send(
        new DescribeSpotPriceHistoryCommand({
          StartTime: new Date(nowMs),
          ProductDescriptions: [...linux],
          MaxResults: 1_000,
          NextToken,
        }),
      ),
    (page) => page.SpotPriceHistory,
    (page) => page.NextToken,
  );
  const newest = new Map<string, { readonly price: number; readonly atMs: number }>();
  for (const { InstanceType, AvailabilityZone, SpotPrice, Timestamp } of rows) {
    const [price, atMs] = [Number(SpotPrice), Timestamp?.getTime() ?? 0];
    const key = `${InstanceType} ${AvailabilityZone}`;
    if (!(price > 0) || (newest.get(key)?.atMs ?? Number.NEGATIVE_INFINITY) >= atMs) continue;
    newest.set(key, { price, atMs });
  }
  const byType = new Map<string, Record<string, number>>();
  for (const [key, { price }] of [...newest].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [type = "", zone = ""] = key.split(" ");
    byType.set(type, { ...byType.get(type), [zone]: price });
  }
  return byType;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
