import { readFileSync } from "node:fs";
import { CreateBucketCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { AwsCloud } from "#aws/aws-cloud.ts";
import { decodeCatalogue, encodeCatalogue } from "#aws/catalogue-file.ts";
import { CatalogueStore } from "#aws/catalogue-store.ts";
import { makeCatalogue, withSpotPrices } from "#aws/catalogue-writer.ts";
import { type AwsClients, awsClients } from "#aws/clients.ts";
import type { Catalogue } from "#ec2/instance-type/catalogue.ts";
import { realClock } from "../../shared/adapters/system/real-clock.ts";
import { StandIn } from "../support/aws/stand-in.ts";

const region = "us-east-1";
const place = { bucket: "catalogue", key: "us-east-1.json.gz" };
const credentials = { accessKeyId: "test", secretAccessKey: "test" };
const noQuery = { subnets: [], securityGroups: [], images: [], parameters: [], roles: [] };
const embedded = JSON.parse(
  readFileSync(new URL("../../shared/adapters/simulator/data/us-east-1.json", import.meta.url), "utf8"),
) as Catalogue;
let standIn: StandIn;
let reading: AwsClients["reading"];

beforeAll(async () => {
  standIn = await StandIn.start();
  reading = awsClients({ region, endpoint: standIn.endpoint, credentials }).reading;
});
afterAll(() => standIn.stop());
beforeEach(async () => {
  await standIn.reset();
  // The whole region is a hundred calls.
  await standIn.configure({ buckets: false });
  await reading.s3.send(new CreateBucketCommand({ Bucket: place.bucket }));
});

test("the region's types are those of the embedded catalogue, field by field, and many more", async () => {
  const { catalogue, problems } = await makeCatalogue(reading, region, realClock, undefined);
  expect(problems).toEqual([]);
  expect(catalogue.types.length).toBeGreaterThan(1_000);
  const made = new Map(catalogue.types.map((type) => [type.name, type]));
  for (const type of embedded.types) {
    const own = made.get(type.name);
    // The embedded one knows three zones of the region.
    expect({ ...own, zones: own?.zones.filter((zone) => type.zones.includes(zone)) }).toEqual(type);
  }
});

test("the file is small, and decoded within thirty milliseconds", async () => {
  const { catalogue } = await makeCatalogue(reading, region, realClock, undefined);
  const file = encodeCatalogue(catalogue);
  expect(file.byteLength).toBeLessThan(300 * 1024);
  expect(decodeCatalogue(file)).toEqual({ kind: "catalogue", catalogue });
  const decodeMs = Array.from({ length: 7 }, () => {
    const before = process.cpuUsage();
    decodeCatalogue(file);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  }).sort((a, b) => a - b)[3];
  console.log(`${catalogue.types.length} types, ${Math.round(file.byteLength / 1024)} KiB, ${decodeMs} ms`);
  expect(decodeMs).toBeLessThan(30);
});

test("without prices the ones of before are kept, and it is said", async () => {
  const before = { ...embedded, types: embedded.types.map((type) => ({ ...type, onDemandPerHour: 7 })) };
  await standIn.fault({ action: "GetProducts", count: 99, status: 400, code: "AccessDeniedException" });
  const { catalogue, problems } = await makeCatalogue(reading, region, realClock, before);
  expect(problems).toEqual([expect.stringContaining("on-demand prices: AccessDeniedException")]);
  expect(catalogue.types.find(({ name }) => name === "m5.large")?.onDemandPerHour).toBe(7);
});

test("the hourly run changes spot prices and nothing else", async () => {
  const before = { ...embedded, types: embedded.types.map((type) => ({ ...type, spotPerHour: {} })) };
  const after = await withSpotPrices(reading, realClock, before);
  expect(after.types).toEqual(embedded.types);
  expect(after.writtenAtMs).toBeGreaterThan(before.writtenAtMs);
});

test("until the catalogue is written there is none, and then there is, without a new container", async () => {
  const options = { clusterName: "demo", region, endpoint: standIn.endpoint, credentials, catalogue: place };
  const skipping = { nowMs: () => Date.now() + skippedMs, sleepUntil: async () => {} };
  let skippedMs = 0;
  const cloud = new AwsCloud(options, skipping);
  expect(await cloud.observe(noQuery)).toMatchObject({ incomplete: [], view: {} });
  await new CatalogueStore(reading.s3, place, realClock).write(embedded);
  skippedMs = 6 * 60_000;
  const first = (await cloud.observe(noQuery)).view.catalogue;
  expect(first?.types).toHaveLength(embedded.types.length);
  skippedMs *= 2;
  expect((await cloud.observe(noQuery)).view.catalogue).toBe(first);
});

test("a damaged file is told in words and is no catalogue", async () => {
  const { bucket: Bucket, key: Key } = place;
  await reading.s3.send(new PutObjectCommand({ Bucket, Key, Body: "not gzip" }));
  const options = { clusterName: "demo", region, endpoint: standIn.endpoint, credentials, catalogue: place };
  const { view } = await new AwsCloud(options, realClock).observe(noQuery);
  expect(view.catalogue).toBeUndefined();
  expect(view.refusals?.catalogue).toContain("not a catalogue file");
});
